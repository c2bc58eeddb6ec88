// Effective settings: `security.enabled = false` lifts the settings of `[security]`.
import type { PolicySettings } from "./types.ts";

/** With `security.enabled = false`, `[security]` doesn't apply; tiers, format checks and own-pane protection do. */
export function effectiveSettings(settings: PolicySettings): PolicySettings {
  if (settings.securityEnabled) return settings;
  return {
    ...settings,
    allowExecuteCommand: true,
    allowRawMode: true,
    allowSendKeys: true,
    allowKill: true,
    allowCreate: true,
    allowSplit: true,
    allowRename: true,
    allowMove: true,
    allowCapture: true,
    allowList: true,
    typePasswords: true,
    allowedSockets: undefined,
    allowedSessions: undefined,
    allowedPanes: undefined,
    allowedBufferPaths: ["/"],
    allowedOutputPaths: ["/"],
    filterMode: "off",
    tools: { mode: "deny", items: [] },
  };
}
