// Watches share workers and clients once they are many; each still tells of its own pane.
import { watchMany } from "../support/many_watches.ts";

Deno.test({
  name: "forty watches all fire, on at most eight workers, one client for a worker's panes of a session",
  ignore: Deno.build.os !== "linux",
  fn: () => watchMany(40, { atOnce: false }),
});
