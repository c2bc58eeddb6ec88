// The version number, kept in one place.
import denoJson from "../deno.json" with { type: "json" };

/** This package's version. */
export const VERSION: string = denoJson.version;
