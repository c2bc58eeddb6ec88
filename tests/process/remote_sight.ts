import { RemoteProcessInspector } from "../../src/process/remote/process_inspector.ts";
import { RemoteShell } from "../../src/tmux/ssh/shell.ts";

/** This machine's processes, as a shell on another machine reports them. */
export function remoteSight(): AsyncDisposable & { inspector: RemoteProcessInspector } {
  const shell = new RemoteShell("here", { bin: "sh", args: [], env: { PATH: "/usr/bin:/bin" } });
  const facts = { system: "Linux", architecture: Deno.build.arch };
  const asked = { ask: (code: string) => shell.ask(code), facts };
  return {
    inspector: new RemoteProcessInspector({ shell: () => Promise.resolve(asked) }),
    async [Symbol.asyncDispose](): Promise<void> {
      await shell.end();
      await shell.ended;
    },
  };
}
