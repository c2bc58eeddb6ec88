// The prompt that finds out what went wrong in a pane without touching it.
import { call, type Prompt, steps } from "./prompt.ts";

export const diagnoseFailingPane: Prompt = {
  name: "diagnose-failing-pane",
  title: "Diagnose failing pane",
  description: "Find out what went wrong in a pane, and plan how to verify it, without running anything.",
  arguments: [{ name: "paneId", description: "Pane id such as %5", required: true }],
  needs: [["snapshot-pane", "capture-pane"]],
  text({ paneId }, tools) {
    const read = tools.has("snapshot-pane")
      ? call("snapshot-pane", { paneId })
      : call("capture-pane", { paneId });
    return steps(
      `Call ${read} to see what the pane shows.`,
      tools.has("pane-state") &&
        `Call ${call("pane-state", { paneId })}: is its program alive, and is it waiting for input?`,
      tools.has("capture-pane") &&
        `If the start of the failure is missing, call ${call("capture-pane", { paneId, lines: 500 })}.`,
      tools.has("capture-since") &&
        `To follow it over several turns, call ${
            call("capture-since", { paneId })
          } once, then capture-since ` +
          "with the returned cursor.",
      "Name the last command and the lines of its output that show the failure.",
      "State the likeliest cause, and a plan that would verify it. Run nothing and type nothing before I agree.",
    );
  },
};
