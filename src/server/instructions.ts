// What a model is told about this server as a whole; at most 2 KB.

export const INSTRUCTIONS =
  `tmux-mcp controls terminals through tmux. A server has sessions ($1), a session has \
windows (@1), a window has panes (%1); a pane runs one shell or program. Target panes by id.
`;
