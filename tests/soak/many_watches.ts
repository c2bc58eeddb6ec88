// Watch tests that take too long for every run on a busy machine: deno task soak:watches.
import { watchMany } from "../support/many_watches.ts";

Deno.test("two hundred watches, begun one after another, all fire", () => watchMany(200, { atOnce: false }));

Deno.test("two hundred watches, begun at once, all fire", () => watchMany(200, { atOnce: true }));
