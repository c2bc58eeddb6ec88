// Creates control clients without starting a process: it sends what `tmux -C attach-session` would send.

import { joinCommands } from "../tmux_exec/argv.ts";
import type { ControlChannel } from "../tmux_exec/control_channel.ts";
import type { Command } from "../tmux_exec/exec.ts";
import { encodeMessage, encodePassing, MESSAGE } from "./imsg.ts";
import type { Connection, SocketLibc } from "../ffi/sockets.ts";
import { concatBytes } from "../bytes.ts";
import { Poller } from "../ffi/poller.ts";
import { type ChannelOptions, SocketChannel } from "./channel.ts";
import { isAtLeast } from "../tmux_exec/version.ts";

/** A server that has shown that it understands us. */
export interface VerifiedServer {
  path: string;
  version: string;
}

interface ClientIntroduction {
  /** The ends that become the client's input and output. */
  input: Connection;
  output: Connection;
  commands: readonly Command[];
  /** How this version of tmux recognizes a message that passes a descriptor. */
  mark: "flag" | "length";
}

/** `CLIENT_CONTROL | CLIENT_UTF8` (tmux.h). */
const CONTROL_FLAGS = 0x2000 | 0x10000;

/** Prefix of our clients' names in tmux's lists. */
export const CLIENT_NAME = "tmux-mcp/";

/** Size of the read buffer: more than a socket holds by default. */
const BUFFER_BYTES = 1 << 18;

export class Attacher {
  readonly #libc: SocketLibc;
  readonly #options: ChannelOptions;

  /** `release` frees the descriptors of an ended client, because this thread may not live long enough to do that. */
  constructor(libc: SocketLibc, release: (fds: readonly number[]) => void) {
    this.#libc = libc;
    this.#options = { poller: new Poller(libc), buffer: new Uint8Array(BUFFER_BYTES), release };
  }

  /** Settles when no client is followed any more; until then the library is in use. */
  get idle(): Promise<void> {
    return this.#options.poller.idle;
  }

  /** Attaches a client; returns undefined if that is not possible without a process. */
  attach({ path, version }: VerifiedServer, commands: readonly Command[]): ControlChannel | undefined {
    if (!this.#libc.passesDescriptors) return undefined;
    const mark = isAtLeast(version, 3, 6) ? "length" : "flag";
    const connected = this.#libc.connect(path);
    const connection = typeof connected === "object" && "fd" in connected ? connected : undefined;
    const input = connection && this.#libc.pair();
    const output = input && this.#libc.pair();
    if (
      connection && input && output &&
      introduce(connection, { input: input[1], output: output[1], commands, mark })
    ) {
      for (const { fd } of [input[1], output[1]]) this.#libc.closeFile(fd);
      const ends = { connection, input: input[0], output: output[0] };
      return new SocketChannel(ends, this.#options);
    }
    for (const end of [connection, ...(input ?? []), ...(output ?? [])]) end?.close();
    return undefined;
  }
}

/**
 * Introduces a control client. A descriptor ends what the server reads in one go, so everything that makes this a
 * control client is sent with the second one. tmux up to 3.5a crashes if it has something to report to a client that
 * has said that it is a control client but not everything else.
 */
function introduce(connection: Connection, { input, output, commands, mark }: ClientIntroduction): boolean {
  const name = `${CLIENT_NAME}${Deno.pid}.${crypto.randomUUID().slice(0, 8)}`;
  const command = joinCommands(commands);
  const who = concatBytes([
    encodePassing(MESSAGE.identifyStdin, mark),
    encodeMessage(MESSAGE.identifyTerm, ""),
    encodeMessage(MESSAGE.identifyFeatures, 0),
    // Name under which tmux lists the client.
    encodeMessage(MESSAGE.identifyTtyName, name),
    encodeMessage(MESSAGE.identifyCwd, "/"),
    encodeMessage(MESSAGE.identifyClientPid, Deno.pid),
  ]);
  const what = concatBytes([
    encodePassing(MESSAGE.identifyStdout, mark),
    encodeMessage(MESSAGE.identifyLongFlags, CONTROL_FLAGS, 0),
    encodeMessage(MESSAGE.identifyDone),
    encodeMessage(MESSAGE.command, command.length, ...command),
  ]);
  return connection.pass(who, input.fd) === who.length && connection.pass(what, output.fd) === what.length;
}
