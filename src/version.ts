// The one version number.
import denoJson from "../deno.json" with { type: "json" };

/** This package's version. */
export const VERSION: string = denoJson.version;
