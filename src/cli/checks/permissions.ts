// Checks that Deno's permissions cover what the server needs.
import type { Invocation } from "../invocation.ts";
import type { Finding } from "./finding.ts";
import { temporaryFolder } from "../../temporary_folder.ts";

interface Need {
  permission: Deno.PermissionDescriptor;
  as: string;
  /** Features that don't work without it; absent if nothing does. */
  lost?: string;
}

export function checkPermissions({ config, cwd, environment }: Invocation, libcPath: string): Finding {
  const bin = config.options.tmuxBin;
  const folder = temporaryFolder(environment);
  const needs: Need[] = [
    { permission: { name: "run", command: bin }, as: `--allow-run=${bin}` },
    { permission: { name: "ffi", path: libcPath }, as: `--allow-ffi=${libcPath}` },
    {
      permission: { name: "read" },
      as: "--allow-read",
      lost: "pictures, files that calls name, and links in paths",
    },
    {
      permission: { name: "write", path: folder },
      as: `--allow-write=${folder}`,
      lost: "recordings, pictures and long output",
    },
    { permission: { name: "write", path: cwd }, as: `--allow-write=${cwd}`, lost: "files in this folder" },
    { permission: { name: "env", variable: "TMUX" }, as: "--allow-env", lost: "finding the tmux it runs in" },
  ];
  const missing = needs.filter(({ permission }) =>
    Deno.permissions.querySync(permission).state !== "granted"
  );
  const given = needs.filter((need) => !missing.includes(need)).map(({ as }) => as).join(" ");
  if (missing.length === 0) return { name: "permissions", verdict: "works", says: given };
  const lost = missing.map(({ as, lost }) => `${as} is missing${lost === undefined ? "" : ` (${lost})`}`);
  return {
    name: "permissions",
    verdict: missing.some(({ lost }) => lost === undefined) ? "fails" : "partly",
    says: lost.join(", "),
    fix: missing.some(({ as }) => as.includes(","))
      ? "Use folders without a comma in their path, which Deno has no way to grant"
      : "Start through scripts/tmux-mcp, which grants them, or add them to deno run",
  };
}
