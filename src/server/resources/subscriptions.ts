// Resource subscriptions: reads a resource again after an event, and notifies subscribers if it has changed.
import { isGone } from "../../errors.ts";
import { settled } from "../../promises.ts";
import type { Commands } from "../../commands/commands.ts";
import type { Tmux } from "../../tmux/tmux.ts";
import type { ResourceRef } from "./resource_uris.ts";
import type { Resources } from "./resources.ts";
import { ServerPoller } from "./server_poller.ts";
import { getOrCreate } from "../../maps.ts";

export interface SubscriptionOptions {
  resources: Resources;
  commands: Commands;
  /** Something came, went or changed on a tmux server that is followed. */
  changed(): void;
}

/** Receives a notification when a resource changes. */
export interface ResourceSubscriber {
  updated(uri: string): void;
}

interface Subscription {
  uri: string;
  server: ServerPoller;
  /** The pane whose output may change the resource. */
  paneId: string | undefined;
  /** The text last read, without what passes by itself; an update is sent only if it has changed. */
  text: string;
  isCommand: boolean;
  subscribers: Set<ResourceSubscriber>;
}

/** Changes within this time are sent as one update. */
const TOGETHER_MS = 100;

export class Subscriptions {
  readonly #options: SubscriptionOptions;
  readonly #servers: Map<string, ServerPoller> = new Map();
  readonly #subscriptions: Map<string, Subscription> = new Map();
  readonly #due: Map<string, ReturnType<typeof setTimeout>> = new Map();
  /** The last request about each resource, until it is done. */
  readonly #turns: Map<string, Promise<void>> = new Map();
  readonly #ended: AbortController = new AbortController();

  constructor(options: SubscriptionOptions) {
    this.#options = options;
  }

  /** @throws {McpError} if the resource doesn't exist or may not be read */
  async subscribe(uri: string, subscriber: ResourceSubscriber): Promise<void> {
    await this.#inTurn(uri, () => this.#subscribe(uri, subscriber));
  }

  async unsubscribe(uri: string, subscriber: ResourceSubscriber): Promise<void> {
    await this.#inTurn(uri, () => this.#unsubscribe(uri, subscriber));
  }

  close(): void {
    this.#ended.abort();
    for (const timer of this.#due.values()) clearTimeout(timer);
    for (const server of this.#servers.values()) server.stop();
  }

  /** Runs the requests about one resource in the order in which they came. */
  async #inTurn(uri: string, act: () => Promise<void>): Promise<void> {
    const turn = settled(this.#turns.get(uri)).then(act);
    this.#turns.set(uri, turn);
    try {
      await turn;
    } finally {
      if (this.#turns.get(uri) === turn) this.#turns.delete(uri);
    }
  }

  async #subscribe(uri: string, subscriber: ResourceSubscriber): Promise<void> {
    const { resources } = this.#options;
    const ref = resources.find(uri);
    const { text } = await resources.read(uri, this.#ended.signal);
    const { tmux, paneId } = await this.#sourceOf(ref);
    const isCommand = ref.resource.changes === "command";
    // A present one keeps its text: its subscribers may not have heard of this one yet.
    const { server, subscribers } = getOrCreate(this.#subscriptions, uri, () => {
      const shown = isCommand ? withoutElapsed(text) : text;
      return { uri, server: this.#serverOf(tmux), paneId, text: shown, isCommand, subscribers: new Set() };
    });
    subscribers.add(subscriber);
    await this.#follow(server);
    this.#compare(uri);
  }

  async #unsubscribe(uri: string, subscriber: ResourceSubscriber): Promise<void> {
    const found = this.#subscriptions.get(uri);
    found?.subscribers.delete(subscriber);
    if (found && found.subscribers.size > 0) return;
    this.#subscriptions.delete(uri);
    if (found) await this.#follow(found.server);
  }

  #serverOf(tmux: Tmux): ServerPoller {
    return getOrCreate(this.#servers, tmux.address, () => {
      const server: ServerPoller = new ServerPoller({
        tmux,
        changed: () => this.#changed(server),
        printed: (paneId) => this.#printed(server, paneId),
      });
      return server;
    });
  }

  async #follow(server: ServerPoller): Promise<void> {
    const subscribers = this.#of(server);
    if (subscribers.length === 0) return server.stop();
    await server.follow(new Set(subscribers.flatMap(({ paneId }) => paneId ?? [])));
  }

  #of(server: ServerPoller): Subscription[] {
    return [...this.#subscriptions.values()].filter((each) => each.server === server);
  }

  /** Returns the tmux server and pane that change a resource. The URI of a command's result names neither. */
  async #sourceOf(ref: ResourceRef): Promise<{ tmux: Tmux; paneId: string | undefined }> {
    const { resources, commands } = this.#options;
    const { resource: { changes }, args } = ref;
    const command = changes === "command" ? await commands.find(args.commandId!) : undefined;
    if (command) return command;
    return { tmux: resources.connect(ref), paneId: changes === "pane" ? args.paneId : undefined };
  }

  #changed(server: ServerPoller): void {
    for (const { uri } of this.#of(server)) this.#soon(uri, () => this.#compare(uri));
    this.#options.changed();
  }

  #printed(server: ServerPoller, paneId: string): void {
    for (const each of this.#of(server)) {
      if (each.paneId === paneId) this.#soon(each.uri, () => this.#compare(each.uri));
    }
  }

  #soon(key: string, act: () => void): void {
    if (this.#due.has(key) || this.#ended.signal.aborted) return;
    const timer = setTimeout(() => {
      this.#due.delete(key);
      act();
    }, TOGETHER_MS);
    this.#due.set(key, timer);
  }

  #compare(uri: string): void {
    const found = this.#subscriptions.get(uri);
    if (!found) return;
    const { signal } = this.#ended;
    // The end of a resource is a change too, and is reported once.
    this.#options.resources.readUnrecorded(uri, signal).then(
      ({ text }) => found.isCommand ? withoutElapsed(text) : text,
      (error) => isGone(error) ? "missing" : `not read: ${error}`,
    ).then(
      (text) => {
        if (signal.aborted || text === found.text) return;
        found.text = text;
        for (const subscriber of found.subscribers) subscriber.updated(uri);
      },
    );
  }
}

/** The text of a command's result without its time. No text within it has this key with bare quotes. */
function withoutElapsed(json: string): string {
  return json.replace(/"elapsed":[\d.]+/, "");
}
