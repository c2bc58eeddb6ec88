// The prompt that stops a program as a person would, with nothing stronger than Ctrl-C.
import { call, type Prompt, steps } from "./prompt.ts";

export const interruptGracefully: Prompt = {
  name: "interrupt-gracefully",
  title: "Interrupt gracefully",
  description: "Stop the program in a pane with Ctrl-C, check that it stopped, and use nothing stronger.",
  arguments: [{ name: "paneId", description: "Pane id such as %5", required: true }],
  needs: [["send-cancel", "send-keys"], ["watch-pane", "wait-for-text", "capture-pane"]],
  text({ paneId }, tools) {
    const interrupt = tools.has("send-cancel")
      ? call("send-cancel", { paneId })
      : call("send-keys", { paneId, keys: "C-c", literal: false });
    const check = tools.has("watch-pane")
      ? `Call ${
        call("watch-pane", { paneId, triggers: "shell,exit,user_input", timeout: 5 })
      }: shell, exit, or user_input with paneState.shell, is its end.`
      : tools.has("wait-for-text")
      ? `Call ${
        call("wait-for-text", { paneId, pattern: "[$#%>] ?$", regex: true, newOnly: true, timeout: 5 })
      } for the shell's prompt.`
      : `Call ${call("capture-pane", { paneId })}: a shell's prompt in the last line is its end.`;
    return steps(
      tools.has("pane-state") &&
        `Call ${call("pane-state", { paneId })} and note foregroundCmd, the program to stop.`,
      `Call ${interrupt} once.`,
      check,
      "A ^C on the screen is only the echo, not the end of the program.",
      "If it is still running, say so and ask me. Do not press Ctrl-C again, send other signals, or kill the pane.",
    );
  },
};
