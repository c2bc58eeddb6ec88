// Which tmux server ids belong to: they mean nothing on another.

/** The format of a server key: pid and start time of the tmux server. */
export const SERVER_KEY = "#{pid}-#{start_time}";
