// Profiles of MCP clients: one row per client, and a cautious one for all others.

/** Source of a fact: observed with the real client, or reported by its users or documentation. */
export type Evidence = "run" | "reported";

export interface ClientProfile {
  /** Name that `init` and `--client` take. */
  readonly name: string;
  /** Prefixes of `clientInfo.name`, in lower case, in addition to the name itself. */
  readonly clientNames: readonly string[];
  readonly versions: "sessions" | "sessions and 2026-07-28";
  /** Seconds after which the client gives up a call. */
  readonly callSeconds: number;
  /** Maximum bytes of a result. */
  readonly answerBytes: number;
  /** Part of a result that the model reads. */
  readonly reads: "structuredContent" | "text";
  /** Spelling of tool names in what the model sees. */
  readonly toolNames: "hyphens" | "underscores";
  readonly elicitation: boolean;
  readonly evidence: Evidence;
}

const MIB = 1024 * 1024;

/** Profile for every client without a row. */
const CAUTIOUS: ClientProfile = {
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
    ...CAUTIOUS,
    name: "claude-code",
    // The client moves longer calls to the background.
    callSeconds: 120,
    // A result of 66 KB arrived complete; the client cuts at 25,000 tokens.
    answerBytes: 96 * 1024,
    reads: "structuredContent",
    elicitation: true,
    evidence: "run",
  },
  { ...CAUTIOUS, name: "claude-desktop", clientNames: ["claude-ai"], versions: "sessions" },
  {
    ...CAUTIOUS,
    name: "codex",
    versions: "sessions",
    // The client cuts the middle out of longer results, without telling the server.
    answerBytes: 12 * 1024,
    reads: "structuredContent",
    toolNames: "underscores",
    elicitation: true,
    evidence: "run",
  },
  { ...CAUTIOUS, name: "copilot", clientNames: ["github-copilot"], versions: "sessions" },
  { ...CAUTIOUS, name: "cursor", versions: "sessions", elicitation: true },
  { ...CAUTIOUS, name: "gemini", versions: "sessions" },
  { ...CAUTIOUS, name: "opencode", versions: "sessions", answerBytes: 50 * 1024 },
  { ...CAUTIOUS, name: "vscode", clientNames: ["visual studio code"], versions: "sessions" },
  CAUTIOUS,
];

export const PROFILE_NAMES: readonly string[] = CLIENT_PROFILES.map(({ name }) => name);

/** Returns the row of a client, by its own name or by `clientInfo.name`. */
function findProfile(name: string | undefined): ClientProfile {
  const wanted = name?.toLowerCase() ?? "";
  const isMeant = ({ name, clientNames }: ClientProfile): boolean =>
    [name, ...clientNames].some((each) => wanted.startsWith(each));
  return CLIENT_PROFILES.find(isMeant) ?? CAUTIOUS;
}

export interface ProfileSettings {
  /** Client to assume, whatever it calls itself. */
  readonly clientName: string | undefined;
  readonly clientCallSeconds: number | undefined;
  readonly clientAnswerBytes: number | undefined;
  readonly clientToolNames: ClientProfile["toolNames"] | undefined;
  readonly clientReads: ClientProfile["reads"] | undefined;
  /** Maximum bytes of a result for any client. */
  readonly answerBytes: number;
}

/** Returns the profile of a client, with what the configuration overrides. */
export function profileFor(settings: ProfileSettings, clientName?: string): ClientProfile {
  const profile = findProfile(settings.clientName ?? clientName);
  return {
    ...profile,
    callSeconds: settings.clientCallSeconds ?? profile.callSeconds,
    answerBytes: Math.min(settings.clientAnswerBytes ?? profile.answerBytes, settings.answerBytes),
    toolNames: settings.clientToolNames ?? profile.toolNames,
    reads: settings.clientReads ?? profile.reads,
  };
}
