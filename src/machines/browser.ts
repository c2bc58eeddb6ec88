// Opens a page in the browser of the person at this machine.
import { AppError } from "../errors.ts";
import { spawnProgram } from "../tmux/spawn.ts";
import { within } from "../timer.ts";
import { bestEffort } from "../promises.ts";

/** Time (ms) after which a program that has not failed is showing the page; it may run as long as its browser. */
const FAILS_WITHIN_MS = 2000;

/**
 * Opens a file in the browser.
 * @throws {AppError} `unsupported` if there is no desktop, or this program may not start a browser
 */
export async function openInBrowser(path: string, env: Readonly<Record<string, string>>): Promise<void> {
  const darwin = Deno.build.os === "darwin";
  if (!darwin && !env["DISPLAY"] && !env["WAYLAND_DISPLAY"]) throw unsupported(path, "there is no display");
  const opener = darwin ? "open" : "xdg-open";
  const code = await run(opener, path, env);
  if (code !== undefined && code !== 0) throw unsupported(path, `${opener} failed with ${code}`);
}

async function run(
  bin: string,
  path: string,
  env: Readonly<Record<string, string>>,
): Promise<number | undefined> {
  let child;
  try {
    child = spawnProgram({ bin, args: [path], env });
  } catch (error) {
    const why = error instanceof Deno.errors.NotCapable
      ? "this server is not allowed to start it"
      : "there is no such program";
    throw unsupported(path, `${bin}: ${why}`);
  }
  bestEffort(child.stdin.close());
  bestEffort(child.stdout.pipeTo(new WritableStream()));
  const ended = await within(child.status, { ms: FAILS_WITHIN_MS });
  return ended?.code;
}

function unsupported(path: string, why: string): AppError {
  return new AppError("unsupported", `Cannot open a browser: ${why}`, {
    hint: `The page is in ${path}; open it there, or ask for output: image`,
  });
}
