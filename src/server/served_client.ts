// The client that is served: its profile, and the tool names, sizes and waits that follow from it.
import type { AsyncLocalStorage } from "node:async_hooks";
import { type ClientProfile, profileFor, type ProfileSettings } from "../client_profiles.ts";
import { TOOL_NAME } from "./advice.ts";

/** Seconds reserved for an answer to arrive. */
const ARRIVAL_SECONDS = 10;

export class ServedClient {
  readonly #settings: ProfileSettings;
  readonly #isTool: (name: string) => boolean;
  /** Profile of the client whose request is running, once there may be two clients. */
  #serving: AsyncLocalStorage<ClientProfile> | undefined;
  #profile: ClientProfile;

  constructor(settings: ProfileSettings, isTool: (name: string) => boolean) {
    this.#settings = settings;
    this.#isTool = isTool;
    this.#profile = profileFor(settings);
  }

  get profile(): ClientProfile {
    return this.#serving?.getStore() ?? this.#profile;
  }

  /** Keeps clients apart from now on, because both eras may share a connection. */
  async keepApart(): Promise<void> {
    const { AsyncLocalStorage } = await import("node:async_hooks");
    this.#serving ??= new AsyncLocalStorage();
  }

  /** Runs a request, and all that it starts, for the client of this name. */
  serve<T>(name: string | undefined, act: () => T): T {
    return this.#serving ? this.#serving.run(profileFor(this.#settings, name), act) : act();
  }

  /** Default of `timeout`, so that the answer arrives before the client gives up. */
  get waitSeconds(): number {
    return Math.max(this.profile.callSeconds - ARRIVAL_SECONDS, 1);
  }

  /** Sets the client's name as introduced, unless the configuration names another. */
  introduced(name: string | undefined): void {
    if (!this.#serving?.getStore()) this.#profile = profileFor(this.#settings, name);
  }

  /** Spells tool names in a text as this client shows them to its model. */
  spell(text: string): string {
    if (this.profile.toolNames === "hyphens") return text;
    return text.replaceAll(TOOL_NAME, (name) => this.#isTool(name) ? name.replaceAll("-", "_") : name);
  }

  /** The tool that a name means; clients and models also use underscores. */
  toolNamed(name: string): string {
    const hyphened = name.replaceAll("_", "-");
    return !this.#isTool(name) && this.#isTool(hyphened) ? hyphened : name;
  }

  /** Spells every description in an entry of a list. */
  spellDescriptions<T>(entry: T): T {
    if (this.profile.toolNames === "hyphens") return entry;
    return JSON.parse(
      JSON.stringify(entry),
      (key, value) => key === "description" && typeof value === "string" ? this.spell(value) : value,
    );
  }
}
