// The resource reference, from the declarations.
import type { Resource } from "../../src/resources/resource.ts";
import { table } from "./schema_text.ts";

const INTRO = `# Resources

What a client can read without a tool call. An id stands raw or percent-encoded in a URI (\`%5\` or \`%255\`). Every
URI takes \`?socket=\` with the tmux server to read from, a path or a name, and where hosts are configured \`?host=\`.
A missing object is the resource error -32002, one that policy keeps back -32003. A resource goes away with the
setting that closes its group, see [security](security.md). This page is written by \`deno task gen\`.`;

const SUBSCRIBE =
  `A client can subscribe to each. \`notifications/resources/updated\` comes when the text of the
resource differs from the last look. While a client subscribes to anything, it also gets
\`notifications/resources/list_changed\` when sessions, windows or panes come and go.`;

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
  const head = ["URI", "What it holds", "Type", "Group", "Changes with", "Listed"];
  return `${INTRO}\n\n${table(head, rows)}\n\n${SUBSCRIBE}\n`;
}
