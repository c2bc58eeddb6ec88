// Desktop notifications: escape sequences that a terminal shows as one.

/** Sequence to send: the one that the terminal is known to take, always one of the two, or none. */
export type Notify = "auto" | "osc9" | "osc777" | "off";

/** Terminals that take OSC 777 alone; the others that show anything take OSC 9. */
const TAKES_777 = /^(foot|VTE|rxvt|GNOME)/i;
const TITLE = "tmux";

/** The bytes for a terminal that says it is `terminal`; undefined where nothing is to be sent. */
export function desktopNotification(
  text: string,
  { notify, terminal }: { notify: Notify; terminal: string },
): Uint8Array | undefined {
  if (notify === "off") return undefined;
  const kind = notify === "auto" ? (TAKES_777.test(terminal) ? "osc777" : "osc9") : notify;
  const plain = text.replaceAll(/\p{Cc}+/gu, " ");
  // In 777 a semicolon would end the text.
  const body = kind === "osc9" ? `9;${TITLE}: ${plain}` : `777;notify;${TITLE};${plain.replaceAll(";", ",")}`;
  return new TextEncoder().encode(`\x1b]${body}\x1b\\`);
}
