// The resource reference, from the declarations.
import type { Resource } from "../../src/resources/resource.ts";
import { table } from "./schema_text.ts";

const INTRO = `# Resources

Clients can read resources without a tool call. Ids in a URI can be raw or percent-encoded (\`%5\` or \`%255\`).
Every URI takes \`?socket=\` with the path or name of a tmux server, and \`?host=\` if hosts are configured. Reading
a missing object fails with -32002, one that policy denies with -32003. A setting that disables a group also
removes its resources: see [security](security.md). This page is written by \`deno task gen\`.`;

const SUBSCRIBE =
  `A client can subscribe to each resource, and gets \`notifications/resources/updated\` when its text has changed.
It gets \`notifications/resources/list_changed\` when sessions, windows or panes come and go; with MCP 2026-07-28
only if \`subscriptions/listen\` asks for it.`;

const CHANGES: Readonly<Record<Resource["changes"], string>> = {
  objects: "sessions, windows, panes",
  pane: "the pane and its output",
  command: "the command and its output",
  nothing: "nothing",
};

export function resourcesPage(resources: readonly Resource[]): string {
  const rows = resources.map(({ uri, description, mimeType, groups, changes, list, page }) => [
    `\`${uri}\``,
    description,
    mimeType,
    groups.map((group) => `\`@${group}\``).join(" "),
    CHANGES[changes],
    page !== undefined ? "no" : list === undefined ? "as a template" : "yes",
  ]);
  const head = ["URI", "Content", "Type", "Group", "Changes with", "Listed"];
  return `${INTRO}\n\n${table(head, rows)}\n\n${SUBSCRIBE}\n`;
}
