// Policy of one server: its settings, what clients see, and what it remembers about earlier calls.
import type { Effect } from "../tool.ts";
import { CommandFilter } from "./command_filter.ts";
import { denial } from "./denial.ts";
import { effectiveSettings } from "./effective_settings.ts";
import type { PathRules } from "./paths.ts";
import { Scope } from "./scopes.ts";
import { TypedLines } from "./typed_lines.ts";
import type { PolicySettings } from "./types.ts";

export interface PolicyServices extends Omit<PathRules, "settings"> {
  /** The absolute path of a tmux socket given by path or name; on a host as it was given. */
  resolveSocket(socket: string, host?: string): string;
}

/** Objects that a call created, for later decisions. */
export interface CreatedObjects {
  readonly serverKey: string;
  readonly paneIds?: readonly string[];
  /** Stamps of buffers by name. */
  readonly buffers?: ReadonlyMap<string, string | undefined>;
}

export class Policy {
  readonly settings: PolicySettings;
  readonly services: PolicyServices;
  readonly scope: Scope;
  readonly filter: CommandFilter;
  readonly typed: TypedLines;
  /** The stamps of the buffers that calls have made, each with the tmux server it is on. */
  readonly #buffers = new Map<string, string | undefined>();

  constructor(settings: PolicySettings, services: PolicyServices) {
    this.settings = effectiveSettings(settings);
    this.services = services;
    this.scope = new Scope(this.settings);
    this.filter = new CommandFilter(this.settings);
    this.typed = new TypedLines(this.filter);
  }

  /** Records new objects of an allowed call: panes are in scope from then on, and buffers may be deleted. */
  remember({ serverKey, paneIds = [], buffers = new Map() }: CreatedObjects): void {
    for (const paneId of paneIds) this.scope.admit(paneId, serverKey);
    for (const [name, stamp] of buffers) this.#buffers.set(`${serverKey} ${name}`, stamp);
  }

  seesSocket(socket: string, host?: string): boolean {
    return this.#lists(this.services.resolveSocket(socket, host), host);
  }

  /** @throws {AppError} `denied` for an unlisted socket */
  checkSocket(path: string, host?: string): void {
    if (this.#lists(path, host)) return;
    const setting = `security.allowed_sockets = ${JSON.stringify(this.settings.allowedSockets)}`;
    throw denial(`Cannot use the socket "${path}"`, setting);
  }

  #lists(path: string, host: string | undefined): boolean {
    const { allowedSockets } = this.settings;
    return allowedSockets?.some((each) => this.services.resolveSocket(each, host) === path) ?? true;
  }

  /** Buffers belong to no session: a scope includes only those that this server set. */
  ownsBuffer(name: string, serverKey: string, stamp: string | undefined): boolean {
    return stamp !== undefined && this.#buffers.get(`${serverKey} ${name}`) === stamp;
  }

  /** True if the audit log takes a call. */
  records(effect: Effect, denied: boolean): boolean {
    return denied || this.settings.auditLevel === "all" ||
      this.settings.auditLevel === "writes" && effect !== "read";
  }
}
