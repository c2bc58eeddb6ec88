// Notifies the client when the list of resources changes, whether it subscribed to anything or not.
import type { Resources } from "./resources.ts";

export interface ResourceListOptions {
  resources: Resources;
  /** Starts to report changes of the default tmux server, without attaching a client to it. */
  follow(changed: () => void): Promise<void>;
  notify(): void;
}

/** Changes within this time are one notification. */
const TOGETHER_MS = 100;

export class ResourceList {
  readonly #options: ResourceListOptions;
  readonly #ended: AbortController = new AbortController();
  /** The list as last seen; undefined until somebody looked. */
  #known: string | undefined;
  #due: ReturnType<typeof setTimeout> | undefined;

  constructor(options: ResourceListOptions) {
    this.#options = options;
  }

  /** Follows the default tmux server from now on; what it looks like now is not asked for until something changes. */
  async follow(): Promise<void> {
    await this.#options.follow(() => this.changed());
  }

  /** The client has seen the list as it is now. */
  async listed(): Promise<void> {
    this.#known = await this.#read();
  }

  /** Something may have come or gone. */
  changed(): void {
    if (this.#due !== undefined || this.#ended.signal.aborted) return;
    this.#due = setTimeout(() => {
      this.#due = undefined;
      void this.#compare();
    }, TOGETHER_MS);
  }

  close(): void {
    this.#ended.abort();
    clearTimeout(this.#due);
  }

  async #compare(): Promise<void> {
    // The tmux server went away meanwhile: that is a change too, which comes next.
    const list = await this.#read().catch(() => this.#known);
    if (this.#ended.signal.aborted || list === this.#known) return;
    this.#known = list;
    this.#options.notify();
  }

  async #read(): Promise<string> {
    const uris: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await this.#options.resources.list(cursor, this.#ended.signal);
      uris.push(...page.resources.map((each) => each.uri));
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    return uris.join("\n");
  }
}
