// Turns the message of a failed tmux client into an error that the caller can act on.
import { AppError, notFound } from "../errors.ts";
import { findChangeFailure } from "./typing/changed_panes.ts";
import { findHandoverFailure } from "./typing/handed_over_panes.ts";
import { findModeFailure } from "./typing/pane_mode.ts";

const NO_LISTENER = /no server running on|error connecting to [^]*\((?:No such file|Connection refused)/;
const NO_SERVER = new RegExp(`${NO_LISTENER.source}|no sessions$|no current target$`);
/** Complaints of tmux about the folder of sockets that have a name, made before it connects. */
const REFUSED_FOLDER =
  /^(?:directory .* has unsafe permissions|.*\/tmux-\d+ is not a directory|couldn't (?:create|read) directory .*)$/;
const MISSING = /(?:can't find|no such) (session|window|pane|client): ?(.*)/;

/** True if a client failed because no tmux server is on its socket, or the server has no session (yet, or any more). */
export function isNoServer(stderr: string): boolean {
  return NO_SERVER.test(stderr.trim());
}

/** True if a client lost its server: a server that is ending still accepts connections for some milliseconds. */
export function isLostServer(stderr: string): boolean {
  return /server exited|lost server/.test(stderr);
}

/** True if a client failed because its target does not exist. */
export function isMissing(stderr: string): boolean {
  return MISSING.test(stderr);
}

/** Returns the error for a failed client with this stderr. `served`: the server replied earlier in the same call. */
export function tmuxFailure(stderr: string, socket: string, served = false): AppError {
  const text = stderr.trim();
  if (isLostServer(text) || (served && NO_LISTENER.test(text))) {
    return new AppError("gone", `The tmux server on "${socket}" ended during the call`, {
      hint: "Call list-servers, then create-session",
    });
  }
  return findSocketFailure(text, socket) ?? findMissing(text) ?? findNoOther(text) ?? findModeFailure(text) ??
    findHandoverFailure(text) ?? findChangeFailure(text) ?? refusal(text);
}

function findSocketFailure(text: string, socket: string): AppError | undefined {
  if (NO_LISTENER.test(text)) {
    return new AppError("not-found", `Cannot find a tmux server on "${socket}"`, {
      hint: "Call create-session to start one, or list-servers for those that run",
    });
  }
  // With exit-empty off, the server keeps running.
  if (isNoServer(text)) {
    return new AppError("not-found", `The tmux server on "${socket}" has no session`, {
      hint: "Call create-session to make one",
    });
  }
  if (REFUSED_FOLDER.test(text)) {
    return new AppError("invalid-argument", `Cannot use socket "${socket}": ${text}`, {
      hint: "Make it a folder of this user alone (chmod 700), or set TMUX_TMPDIR to another",
    });
  }
  const [, reason] = /^error connecting to [^]*\(([^()]+)\)$/.exec(text) ?? [];
  if (reason === undefined) return undefined;
  const isLong = reason === "File name too long";
  const why = isLong ? "its path is too long" : reason.toLowerCase();
  return new AppError("invalid-argument", `Cannot use socket "${socket}": ${why}`, {
    hint: isLong ? shortening(socket) : "Give a name, or the path of a socket that this user may open",
  });
}

/** The folder of a socket that is given by name follows from TMUX_TMPDIR. */
function shortening(socket: string): string {
  return socket.includes("/")
    ? "Use a shorter path, or a name"
    : "Use a shorter name, or set TMUX_TMPDIR to a shorter path";
}

function findMissing(text: string): AppError | undefined {
  const missing = MISSING.exec(text);
  if (missing) return notFound(missing[1] as "session", missing[2]!.replace(/^=/, "").replace(/:$/, ""));
  // The name may be a blank, which is trimmed.
  const buffer = /(?:no buffer|unknown buffer:)(?: (.*)|$)/s.exec(text);
  if (buffer) return notFound("buffer", buffer[1] ?? " ");
  if (text !== "no buffers") return undefined;
  return new AppError("not-found", "There are no buffers", { hint: "Call set-buffer to make one" });
}

function findNoOther(text: string): AppError | undefined {
  const [, step, kind] = /^no (last|next|previous) (window|pane)$/.exec(text) ?? [];
  if (kind === undefined) return undefined;
  const why = step === "last" ? "no other was current before" : "it is the only one";
  return new AppError("not-found", `There is no ${step} ${kind}: ${why}`, {
    hint: `Call list-${kind}s and give the ${kind}Id`,
  });
}

function refusal(text: string): AppError {
  const isFull = /no space for (?:a )?new pane$|pane too small$/.test(text);
  return new AppError("tmux-error", `tmux refused: ${text === "" ? "no reason given" : text}`, {
    hint: isFull
      ? "Split a larger pane, make the window larger with resize-window, or call create-window"
      : "Compare the arguments with what exists: call list-sessions and list-panes",
  });
}
