// Desktop notifications: escape sequences that a terminal displays as notifications.

/** Sequence to send: `auto` picks the one that the terminal is known to support, `off` sends nothing. */
export type Notify = "auto" | "osc9" | "osc777" | "off";

/** Terminals that support OSC 777 only; all others that support notifications accept OSC 9. */
const OSC777_ONLY = /^(foot|VTE|rxvt|GNOME)/i;
const TITLE = "tmux";

/** Returns the bytes for a terminal that identifies as `terminal`; undefined if nothing is to be sent. */
export function desktopNotification(
  text: string,
  { notify, terminal }: { notify: Notify; terminal: string },
): Uint8Array | undefined {
  if (notify === "off") return undefined;
  const kind = notify === "auto" ? (OSC777_ONLY.test(terminal) ? "osc777" : "osc9") : notify;
  const plain = text.replaceAll(/[\p{Cc}\p{Bidi_Control}]+/gu, " ");
  // In OSC 777 a semicolon would end the text.
  const body = kind === "osc9" ? `9;${TITLE}: ${plain}` : `777;notify;${TITLE};${plain.replaceAll(";", ",")}`;
  return new TextEncoder().encode(`\x1b]${body}\x1b\\`);
}
