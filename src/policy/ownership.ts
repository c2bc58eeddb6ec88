// Marks of ownership on objects that this server made.

/** The value of `@tmux_mcp_owner` on the sessions, windows and panes this instance makes. */
export function ownerMark(instance: string): string {
  return `tmux-mcp:${instance}`;
}
