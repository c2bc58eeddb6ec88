// Ownership marks on objects that this server created.

/** The value of `@tmux_mcp_owner` on the sessions, windows and panes that this instance creates. */
export function ownerMark(instance: string): string {
  return `tmux-mcp:${instance}`;
}
