// Tools on channels: named signals between programs on one tmux server.
import * as z from "zod";
import { timerMs } from "../timer.ts";
import { defineTool } from "../tool.ts";
import { timeout } from "./params.ts";
import { reportWaiting } from "./waiting_progress.ts";

const channel = z.string().regex(/^[A-Za-z0-9_.:-]{1,128}$/, "expected 1 to 128 letters, digits, _ . : -")
  .describe("Channel name");

export const waitForChannel = defineTool({
  name: "wait-for-channel",
  description: "Wait until a program runs `tmux wait-for -S CHANNEL`, or until signal-channel is called. " +
    "A signal sent before the call counts. " + "Use watch-pane with background to wait longer.",
  groups: ["wait"],
  effect: "read",
  waits: true,
  input: z.strictObject({ channel, timeout: timeout(30) }),
  output: z.strictObject({ channel: z.string(), signalled: z.boolean() }),
  targets: () => [],
  async run({ channel, timeout }, context) {
    const { tmux, signal, sees } = context;
    using _ = reportWaiting(context, {
      total: timeout,
      message: () => `no signal on channel ${channel} yet`,
    });
    const wait = { ms: timerMs(timeout), signal, keeps: sees.only };
    return { channel, signalled: await tmux.channels.wait(channel, wait) };
  },
});

export const signalChannel = defineTool({
  name: "signal-channel",
  description:
    "Wake everyone waiting on a channel, in tmux or with wait-for-channel; if nobody is waiting, the next wait returns at once. " +
    "While a program has locked the channel, the call fails with busy, and the signal is sent later.",
  groups: ["wait"],
  effect: "change",
  input: z.strictObject({ channel }),
  output: z.strictObject({ channel: z.string() }),
  targets: () => [],
  async run({ channel }, { tmux }) {
    await tmux.channels.signal(channel);
    return { channel };
  },
});
