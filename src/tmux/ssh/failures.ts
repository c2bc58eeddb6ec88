// Turns the output of a failed ssh into an error that names the machine and a next step.
import { AppError, ConnectionLost, type ErrorCode } from "../../errors.ts";
import type { Exec } from "../../tmux_exec/exec.ts";

interface Cause {
  pattern: RegExp;
  /** Absent: `tmux-unavailable`. */
  code?: ErrorCode;
  says(match: RegExpExecArray): string;
  hint(host: string): string;
}

/** Exit code of ssh for its own failures. */
const SSH_FAILED = 255;

const byHand = (host: string): string =>
  `Run ssh to "${host}" by hand once: this server never asks (BatchMode)`;

const STILL_UP = "Check that the machine is up and can be reached, then call again";

const CAUSES: readonly Cause[] = [
  {
    pattern: /REMOTE HOST IDENTIFICATION HAS CHANGED|Host key for .* has changed/,
    says: () => "its host key has changed",
    hint: () => "Find out if the machine was reinstalled, then correct ssh's known_hosts file by hand",
  },
  {
    pattern: /Host key verification failed|No .* host key is known/,
    says: () => "its host key is unknown",
    hint: (host) => `${byHand(host)}, check the key and accept it`,
  },
  {
    pattern: /Permission denied(?: \((.*?)\))?/,
    says: ([, methods]) => `it refused the login${methods === undefined ? "" : ` (${methods})`}`,
    hint: () =>
      "Load the key into the ssh agent, name it with -i, or install it there; passwords are not supported",
  },
  {
    pattern: /Could not resolve hostname/,
    says: () => "no machine has that name",
    hint: () => "Check the name in the configuration, and in ~/.ssh/config",
  },
  {
    pattern: /timed out|Timeout, server/i,
    code: "timeout",
    says: () => "it does not respond",
    hint: () => STILL_UP,
  },
  {
    pattern: /Connection refused|No route to host|Network is unreachable|Host is down/,
    says: ([what]) => what.toLowerCase(),
    hint: () => "Check that the machine is up, that sshd runs there, and the port",
  },
];

/**
 * Returns the error for a connection that could not be made.
 * @param output Text of ssh itself
 * @param printed Text of the login shell there
 */
export function connectFailure(host: string, output: string, printed = ""): AppError {
  for (const { pattern, code = "tmux-unavailable", says, hint } of CAUSES) {
    const match = pattern.exec(output);
    if (match) return new AppError(code, `Cannot reach host "${host}": ${says(match)}`, { hint: hint(host) });
  }
  const last = lastLine(output.replaceAll(/^Warning: .*$/gm, "")) || lastLine(printed) || "ssh ended";
  const what = `Cannot reach host "${host}": ${last}`;
  return new AppError("tmux-unavailable", what, { hint: byHand(host) });
}

function lastLine(text: string): string {
  return text.trim().split("\n").at(-1)!.replaceAll(/\p{Cc}/gu, "").trim();
}

/** Returns the error for a connection that was ended because its shell printed too much. */
export function hostFloods(host: string, mib: number): AppError {
  return new AppError("tmux-unavailable", `Cannot use host "${host}": it printed more than ${mib} MiB`, {
    hint: "Check what a shell prints there that ssh starts without a terminal, then call again",
  });
}

/** Throws the error for a connected machine that has not replied in time. */
export function hostSilent(host: string, ms: number): never {
  throw new AppError("timeout", `Cannot reach host "${host}": no answer in ${ms} ms`, { hint: STILL_UP });
}

/** Turns ssh's own failures into errors: they are not replies of tmux. */
export function refusing(spawn: Exec, host: string): Exec {
  return async (commands, options) => {
    const reply = await spawn(commands, options);
    if (reply.code !== SSH_FAILED) return reply;
    // A session of an open connection that ends without a word ended with it.
    throw /^\s*$|lost|closed|broken|reset/i.test(reply.stderr)
      ? new ConnectionLost(host)
      : connectFailure(host, reply.stderr);
  };
}
