// The prompt that creates a session to work in.
import { call, type Prompt, steps } from "./prompt.ts";

export const buildDevWorkspace: Prompt = {
  name: "build-dev-workspace",
  title: "Build dev workspace",
  description: "Create a session with a pane for editing, one for a shell, and one that shows a log.",
  arguments: [
    { name: "sessionName", description: "Name of the session", required: true },
    { name: "logCommand", description: "Command of the log pane (watch -n 1 date)", required: false },
    {
      name: "serverCommand",
      description: "Command that starts the dev server, if there is one",
      required: false,
    },
  ],
  needs: [["create-session"], ["split-pane"], ["start-and-watch", "send-keys"]],
  text({ sessionName, logCommand = "watch -n 1 date", serverCommand }, tools) {
    const server = serverCommand !== undefined && tools.has("ensure-service")
      ? [`Call ${call("ensure-service", { name: "web", command: serverCommand })}; it has a pane of its own.`]
      : [];
    const log = tools.has("start-and-watch")
      ? call("start-and-watch", { paneId: "LOG", command: logCommand, background: true })
      : call("send-keys", { paneId: "LOG", keys: logCommand, enter: true });
    if (tools.has("apply-workspace")) {
      const panes = ["blank", "blank", { shell_command: logCommand }];
      const windows = [{ window_name: "dev", layout: "main-vertical", panes }];
      return steps(
        `Call ${
          call("apply-workspace", { workspace: { session_name: sessionName, windows } })
        }; its panes are ` +
          "EDIT, SHELL and LOG. With created: false, the session already existed, and only its missing parts are new.",
        ...server,
        "Report the pane ids. Use ids, not names or positions, in every later call.",
      );
    }
    return steps(
      `Call ${
        call("create-session", { name: sessionName })
      }; its paneId is EDIT. With created: false the session ` +
        "was there before: say so and stop.",
      `Call ${call("split-pane", { paneId: "EDIT", direction: "horizontal" })}; its paneId is SHELL.`,
      `Call ${call("split-pane", { paneId: "SHELL", direction: "vertical" })}; its paneId is LOG.`,
      `Call ${log}.`,
      ...server,
      "Report the pane ids. Use ids, not names or positions, in every later call.",
    );
  },
};
