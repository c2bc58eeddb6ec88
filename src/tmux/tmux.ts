// One tmux server as the rest of the program sees it, with an object for each kind of thing it has.
import { Arrangement } from "./objects/arrangement.ts";
import { Buffers } from "./objects/buffers.ts";
import { type CallerPlace, findCaller } from "./caller.ts";
import { Channels } from "./objects/channels.ts";
import { Clients } from "./objects/clients.ts";
import { Displays } from "./objects/displays.ts";
import { Environment } from "./objects/environment.ts";
import { Formats } from "./objects/formats.ts";
import { type GatewayOptions, TmuxGateway } from "./gateway.ts";
import { Hooks } from "./objects/hooks.ts";
import { Input } from "./objects/input.ts";
import { Messages } from "./objects/messages.ts";
import { OptionTable } from "./objects/options.ts";
import { Panes } from "./objects/panes.ts";
import { Pipes } from "./objects/pipes.ts";
import { type Precondition, Preconditions } from "./preconditions.ts";
import { Capture } from "./capture/capture.ts";
import { PrintingHooks } from "./printing_hooks.ts";
import { readServerSnapshot, type ServerSnapshot, type ServerSnapshotOptions } from "./server_snapshot.ts";
import { pidOfKey } from "./server_key.ts";
import { Servers } from "./objects/servers.ts";
import { Sessions } from "./objects/sessions.ts";
import { Windows } from "./objects/windows.ts";

export interface TmuxOptions extends GatewayOptions {
  at(socketPath: string): Tmux;
  /** The same server without `preconditions`. */
  unbound?: Tmux;
  /** Registry of channel waiters; if left out, a new one. */
  channels?: Channels;
}

export class Tmux extends TmuxGateway {
  readonly clients: Clients = new Clients(this);
  readonly panes: Panes = new Panes(this, this.clients);
  readonly sessions: Sessions = new Sessions(this, this.panes);
  readonly windows: Windows = new Windows(this);
  readonly arrangement: Arrangement = new Arrangement(this, this.panes);
  readonly input: Input = new Input(this);
  readonly capture: Capture = new Capture(this, this.panes);
  readonly pipes: Pipes = new Pipes(this);
  readonly buffers: Buffers = new Buffers(this);
  readonly options: OptionTable = new OptionTable(this);
  readonly environment: Environment = new Environment(this);
  readonly hooks: Hooks = new Hooks(this);
  readonly servers: Servers = new Servers(this);
  /** Shared by all calls, because a wait can outlive the call that began it. */
  readonly channels: Channels;
  readonly formats: Formats = new Formats(this);
  readonly displays: Displays = new Displays(this);
  readonly messages: Messages = new Messages(this);
  declare readonly at: TmuxOptions["at"];
  readonly #options: TmuxOptions;

  constructor(options: TmuxOptions) {
    super(options);
    this.#options = options;
    this.channels = options.channels ?? new Channels(options.exec, options.socket);
  }

  /** Returns the same server for one call: every client that it starts ends when `signal` aborts. */
  during(signal: AbortSignal): Tmux {
    return new Tmux({
      ...this.#options,
      met: { served: false, hooks: this.#options.met?.hooks ?? new PrintingHooks() },
      channels: this.channels,
      exec: (commands, options) => this.exec(commands, { signal, ...options }),
    });
  }

  /** The same server for undoing what a call did, which must not fail because a precondition does. */
  get unbound(): Tmux {
    return (this.#options.unbound ?? this).outlivingCall();
  }

  /** Returns the same server for work that continues after the call, even if that is cancelled. */
  outlivingCall(): Tmux {
    return this.during(new AbortController().signal);
  }

  /**
   * Returns the same server, which runs commands only while these preconditions hold, until they are lifted.
   * @param serverKey Key of the server that the snapshot came from.
   */
  bound(preconditions: readonly Precondition[], serverKey: string): { tmux: Tmux; lift(): void } {
    if (preconditions.length === 0) return { tmux: this, lift() {} };
    const all = new Preconditions(preconditions, serverKey);
    const exec = all.exec(this.exec);
    const { channels } = this;
    const tmux = new Tmux({ ...this.#options, channels, exec, preconditions: all, unbound: this });
    return { tmux, lift: () => all.lift() };
  }

  /** Returns the place of this program among these panes; unknown if it runs in that server but no pane matches. */
  callerIn({ serverKey, panes }: ServerSnapshot): CallerPlace {
    const serverPid = pidOfKey(serverKey);
    const identified = panes.map(({ paneId, ...pane }) => ({ id: paneId, ...pane, serverPid }));
    return findCaller(this.caller, identified, serverPid);
  }

  /** Returns every session, window and pane, from one moment; decisions are based on it. */
  snapshot(options: ServerSnapshotOptions = {}): Promise<ServerSnapshot> {
    return readServerSnapshot(this, options);
  }
}
