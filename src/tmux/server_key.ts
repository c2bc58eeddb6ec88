// Identifies the tmux server that ids belong to; they mean nothing on another one.

/** Format of a server key: pid and start time of the tmux server. */
export const SERVER_KEY = "#{pid}-#{start_time}";

/** Key of a pane among those of all tmux servers. */
export function paneKey(serverKey: string, paneId: string): string {
  return `${serverKey} ${paneId}`;
}

export function pidOfKey(serverKey: string): number {
  return Number.parseInt(serverKey);
}
