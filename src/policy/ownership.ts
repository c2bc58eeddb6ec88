// How what this server made is marked as its own.

/** The value of `@tmux_mcp_owner` on the sessions, windows and panes this instance makes. */
export function ownerMark(instance: string): string {
  return `tmux-mcp:${instance}`;
}
