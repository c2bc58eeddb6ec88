// Checks this process's surroundings: its tmux server, terminal and locale.
import { dirname } from "@std/path";
import { type Evidence, profileFor } from "../../client_profiles.ts";
import type { Options } from "../../config/types.ts";
import { isFolder } from "../../records/records_root.ts";
import type { Engine } from "../../engine.ts";
import type { Invocation } from "../invocation.ts";
import { failedCheck, type Finding } from "./finding.ts";

const EVIDENCE: Record<Evidence, string> = {
  run: "seen with the real client",
  reported: "as its users report",
};

/** Checks that the tmux server answers, or that one can be started. */
export async function checkServer(
  engine: Engine,
  { socket, ssh }: Pick<Options, "socket" | "ssh">,
): Promise<Finding> {
  const name = "server";
  try {
    const tmux = engine.connect();
    const { alive, version, socketPath, sessions } = await tmux.servers.info();
    // tmux creates the folder for a socket that is given by name, but not by path.
    if (!alive && ssh === undefined && socket?.includes("/") && !isFolder(dirname(socketPath))) {
      const says = `none on ${socketPath}, whose folder does not exist`;
      return { name, verdict: "fails", says, fix: "Create the folder, or give --socket another path" };
    }
    if (!alive) return { name, verdict: "works", says: `none on ${socketPath}; create-session starts one` };
    const place = tmux.callerIn(await tmux.snapshot());
    const own = place.kind === "pane" ? `, you are in its pane ${place.paneId}` : "";
    const says = `${version} on ${socketPath}, sessions: ${sessions}${own}`;
    if (!tmux.target.isUnseen) return { name, verdict: "works", says };
    const blind = `${says}; its programs can't be seen: tmux runs in another pid namespace`;
    return { name, verdict: "partly", says: blind, fix: "Run this server where tmux runs" };
  } catch (error) {
    return failedCheck(error, name);
  }
}

/** Returns the socket that the tmux server is expected at, and why. */
export function checkServerSocket(engine: Engine): Finding {
  return { name: "socket", verdict: "works", says: `${engine.connect().socketPath}: ${engine.socketOrigin}` };
}

/** Returns the assumptions about the client that `--client` names. */
export function checkProfile({ config: { options } }: Invocation): Finding[] {
  if (options.clientName === undefined) return [];
  const { name, versions, callSeconds, answerBytes, reads, toolNames, elicitation, evidence } = profileFor(
    options,
  );
  const says = [
    name === options.clientName ? name : `${options.clientName}, as any other`,
    versions,
    `a call may take ${callSeconds} s`,
    `an answer ${answerBytes} bytes`,
    `the model reads ${reads}`,
    `tool names with ${toolNames}`,
    elicitation ? "asks its person" : "can't ask its person",
    EVIDENCE[evidence],
  ].join("; ");
  return [{ name: "client", verdict: "works", says }];
}

export function checkProtocol({ config: { options } }: Invocation): Finding {
  const sessions = "2024-11-05 to 2025-11-25";
  const says = options.channel
    ? `${sessions}; --channel leaves out 2026-07-28, whose clients can't receive channel notifications`
    : `${sessions} and 2026-07-28`;
  return { name: "protocol", verdict: "works", says };
}

/** The terminal type that programs in new panes get. */
export function checkTerminal({ environment }: Invocation): Finding {
  const name = "terminal";
  const { TERM, LC_ALL, LC_CTYPE, LANG } = environment;
  const locale = LC_ALL || LC_CTYPE || LANG || "is not set";
  const type = `TERM is ${TERM ?? "not set"}, the locale ${locale}`;
  if (/utf-?8/i.test(locale)) return { name, verdict: "works", says: type };
  const says = `${type}: programs in a tmux server started here print only ASCII`;
  const fix = "Set LANG to a UTF-8 locale (LANG=C.UTF-8) where your client starts the server";
  return { name, verdict: "partly", says, fix };
}
