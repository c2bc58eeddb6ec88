// Buttons in the README that add the npm package to clients that support install links.
import type { Identity } from "../packages/identity.ts";
import { npmEntry } from "../packages/manifests.ts";

/** Markdown of the buttons, and the same entry in words for other clients. */
export function installButtons(identity: Identity): string {
  const entry = npmEntry(identity);
  const json = JSON.stringify(entry);
  const cursor = `https://cursor.com/en/install-mcp?name=tmux&config=${encodeURIComponent(btoa(json))}`;
  const code = `https://insiders.vscode.dev/redirect/mcp/install?name=tmux&config=${
    encodeURIComponent(json)
  }`;
  return [
    `[![Add to Cursor](https://cursor.com/deeplink/mcp-install-dark.svg)](${cursor})`,
    `[![Add to VS Code](https://img.shields.io/badge/VS_Code-Add_server-0098FF)](${code})`,
    "",
    `Other clients: the command is \`${entry.command}\`, with the arguments \`${entry.args.join(" ")}\`.`,
  ].join("\n");
}
