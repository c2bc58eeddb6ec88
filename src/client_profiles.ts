// Profiles of MCP clients: one row for each client, and a careful one for all others.

/** Source of a fact: seen on the wire with the real client, read in its documentation, or reported by its users. */
export type Evidence = "run" | "read" | "reported";

export interface ClientProfile {
  /** The name that `init` and `--client` take. */
  readonly name: string;
  /** Beginnings of `clientInfo.name`, in lower case. */
  readonly clientNames: readonly string[];
  readonly versions: "sessions" | "sessions and 2026-07-28";
  /** Seconds that the client gives a call. */
  readonly callSeconds: number;
  /** Bytes that an answer may have. */
  readonly answerBytes: number;
  /** The part of an answer that the model reads. */
  readonly reads: "structuredContent" | "text";
  /** Spelling of tool names that the model sees. */
  readonly toolNames: "hyphens" | "underscores";
  readonly elicitation: boolean;
  readonly evidence: Evidence;
}

const MIB = 1024 * 1024;

/** For every client without a row. */
const CAREFUL: ClientProfile = {
  name: "other",
  clientNames: [],
  versions: "sessions and 2026-07-28",
  callSeconds: 60,
  answerBytes: MIB,
  reads: "text",
  toolNames: "hyphens",
  elicitation: false,
  evidence: "reported",
};

export const CLIENT_PROFILES: readonly ClientProfile[] = [
  {
    ...CAREFUL,
    name: "claude-code",
    clientNames: ["claude-code"],
    // Longer calls go to the background.
    callSeconds: 120,
    // 66 KB arrived whole; it cuts at 25,000 tokens.
    answerBytes: 96 * 1024,
    reads: "structuredContent",
    elicitation: true,
    evidence: "run",
  },
  { ...CAREFUL, name: "claude-desktop", clientNames: ["claude-ai", "claude-desktop"], versions: "sessions" },
  {
    ...CAREFUL,
    name: "codex",
    clientNames: ["codex"],
    versions: "sessions",
    // It cuts the middle out of longer answers, and says nothing to the server.
    answerBytes: 12 * 1024,
    reads: "structuredContent",
    toolNames: "underscores",
    elicitation: true,
    evidence: "run",
  },
  { ...CAREFUL, name: "copilot", clientNames: ["github-copilot", "copilot"], versions: "sessions" },
  { ...CAREFUL, name: "cursor", clientNames: ["cursor"], versions: "sessions", elicitation: true },
  { ...CAREFUL, name: "gemini", clientNames: ["gemini"], versions: "sessions" },
  {
    ...CAREFUL,
    name: "opencode",
    clientNames: ["opencode"],
    versions: "sessions",
    answerBytes: 50 * 1024,
  },
  { ...CAREFUL, name: "vscode", clientNames: ["visual studio code", "vscode"], versions: "sessions" },
  CAREFUL,
];

export const PROFILE_NAMES: readonly string[] = CLIENT_PROFILES.map(({ name }) => name);

/** The row of a client by its own name or by `clientInfo.name`. */
function findProfile(name: string | undefined): ClientProfile {
  const given = name?.toLowerCase() ?? "";
  return CLIENT_PROFILES.find((each) => each.name === given) ??
    CLIENT_PROFILES.find(({ clientNames }) => clientNames.some((each) => given.startsWith(each))) ??
    CAREFUL;
}

/** Settings of the client in the configuration. */
export interface ProfileSettings {
  /** The client to assume, whatever it calls itself. */
  readonly clientName: string | undefined;
  readonly clientCallSeconds: number | undefined;
  readonly clientAnswerBytes: number | undefined;
  readonly clientToolNames: ClientProfile["toolNames"] | undefined;
  /** The most for any client. */
  readonly answerBytes: number;
}

/** The row of a client, unless configuration says otherwise. */
export function profileFor(settings: ProfileSettings, clientName?: string): ClientProfile {
  const profile = findProfile(settings.clientName ?? clientName);
  return {
    ...profile,
    callSeconds: settings.clientCallSeconds ?? profile.callSeconds,
    answerBytes: Math.min(settings.clientAnswerBytes ?? profile.answerBytes, settings.answerBytes),
    toolNames: settings.clientToolNames ?? profile.toolNames,
  };
}
