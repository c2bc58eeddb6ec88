// Resources: lists live objects, reads through the same gate as tools, and fails with protocol errors.
import { AppError, messageOf } from "../../errors.ts";
import { excerpt } from "../../excerpt.ts";
import { findClosingSetting } from "../../policy/switches.ts";
import type { Decision, Declaration } from "../../policy/types.ts";
import type { Resource, ResourceContext } from "../../resources/resource.ts";
import type { Tmux } from "../../tmux/tmux.ts";
import type { Commands } from "../../commands/commands.ts";
import type { AnswerLimit } from "../answer_limit.ts";
import type { ServerSelector } from "../call.ts";
import { type Gate, isAllowed, outcomeOfFailure } from "../gate.ts";
import { findResource, type ResourceRef, spellUri } from "./resource_uris.ts";
import { advise, OMITTED, shortMessage } from "../results.ts";
import { ErrorCode, McpError } from "../sdk.ts";

export interface ResourceServices {
  /**
   * Returns the tmux server whose resources are listed, once changes of its list are noticed. A listing is no sign that
   * a watch follows.
   */
  home(): Promise<Tmux>;
  resources: readonly Resource[];
  gate: Gate;
  commands: Commands;
  connect(where: ServerSelector): Tmux;
  /** Names of configured hosts. */
  hosts: readonly string[];
  limit: AnswerLimit;
  /** Returns the hint as this client can follow it: with tools that it has. */
  advice(hint: string): string;
}

/** One entry of `resources/list`. */
export interface WireResource {
  uri: string;
  name: string;
  mimeType: string;
  description: string;
}

export interface ResourceContents {
  uri: string;
  mimeType: string;
  text: string;
  _meta?: { ui?: NonNullable<Resource["page"]>; [OMITTED]?: string };
}

/** MCP's code for a missing resource. */
const NOT_FOUND = -32002;
/** This server's code for a resource that policy denies. */
const DENIED = -32003;
const PAGE = 200;
/** Maximum characters of a URI that an error repeats. */
const LONGEST_URI = 1000;
/** Maximum characters of an entry's title, which contains names. */
const LONGEST_TITLE = 200;

const LISTING: Declaration = { name: "resources/list", effect: "read", groups: ["list"], targets: () => [] };

export class Resources {
  readonly #services: ResourceServices;
  /** Resources that policy allows this client. */
  readonly #resources: readonly Resource[];

  constructor(services: ResourceServices) {
    const { settings } = services.gate.policy;
    this.#services = services;
    this.#resources = services.resources.filter((each) =>
      findClosingSetting(declare(each), settings) === undefined
    );
  }

  /** False if a setting keeps resources from being listed. */
  get areListed(): boolean {
    return findClosingSetting(LISTING, this.#services.gate.policy.settings) === undefined;
  }

  templates(): (Omit<WireResource, "uri"> & { uriTemplate: string })[] {
    const query = `{?${this.#parameters().join(",")}}`;
    const shown = this.#resources.filter(({ page }) => page === undefined);
    return shown.map(({ uri, title, description, mimeType, isOwn }) => ({
      uriTemplate: isOwn ? uri : `${uri}${query}`,
      name: title,
      description,
      mimeType,
    }));
  }

  /** Names of a template's placeholders and parameters; `undefined` if the template doesn't exist. */
  argumentsOf(template: string): string[] | undefined {
    const path = template.replace(/\{\?[\w,]*\}$/, "");
    const found = this.#resources.find(({ uri }) => uri === path);
    if (found === undefined) return undefined;
    const placeholders = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
    return found.isOwn ? placeholders : [...placeholders, ...this.#parameters()];
  }

  /** Parameters of each URI that isn't the server's own. */
  #parameters(): string[] {
    return this.#services.hosts.length > 0 ? ["socket", "host"] : ["socket"];
  }

  /** One page of the resources; it begins after the last one of the previous page, even if that is gone. */
  async list(
    cursor: string | undefined,
    signal: AbortSignal,
  ): Promise<{ resources: WireResource[]; nextCursor?: string }> {
    const all = await this.#listAll(signal).catch((error) => {
      throw this.#protocolError(error);
    });
    const after = cursor === undefined || cursor === "" ? undefined : readCursor(cursor);
    const rest = after === undefined ? all : all.filter(({ place }) => compare(place, after) > 0);
    const page = (size: number) => rest.slice(0, size);
    const shown = await this.#services.limit.fit(PAGE, page);
    const last = shown.at(-1);
    return {
      resources: shown.map(({ place: _, ...entry }) => entry),
      ...(last && rest.length > shown.length ? { nextCursor: btoa(JSON.stringify(last.place)) } : {}),
    };
  }

  /** @throws {McpError} */
  async read(uri: string, signal: AbortSignal): Promise<ResourceContents> {
    const startedAt = performance.now();
    try {
      const ref = await this.#findRecorded(uri, startedAt);
      return await this.#read(uri, ref, { signal, startedAt });
    } catch (error) {
      throw this.#protocolError(error, uri);
    }
  }

  /** Like `read`, for this server's own reads of subscribed resources, which aren't audited. */
  async readUnrecorded(uri: string, signal: AbortSignal): Promise<ResourceContents> {
    return await this.#read(uri, this.find(uri), { signal });
  }

  /** @throws {McpError} */
  find(uri: string): ResourceRef {
    try {
      return findResource(uri, this.#services.resources);
    } catch (error) {
      throw this.#protocolError(error, uri);
    }
  }

  async #findRecorded(uri: string, startedAt: number): Promise<ResourceRef> {
    try {
      return this.find(uri);
    } catch (error) {
      const outcome = new AppError("not-found", messageOf(error));
      await this.#services.gate.recordAsked({ tool: "resources/read", args: { uri } }, {
        outcome,
        startedAt,
      });
      throw error;
    }
  }

  /** The tmux server of a resource, valid for as long as this server runs. */
  connect({ socket, host }: ResourceRef): Tmux {
    return this.#services.connect({ ...(socket ? { socket } : {}), ...(host ? { host } : {}) });
  }

  async #read(
    uri: string,
    ref: ResourceRef,
    /** With `startedAt`, the read is recorded in the audit log. */
    { signal, startedAt }: { signal: AbortSignal; startedAt?: number },
  ): Promise<ResourceContents> {
    const { gate, commands, limit } = this.#services;
    const { resource, args } = ref;
    const tmux = this.connect(ref).during(signal);
    const callContext = gate.callContext({ declaration: declare(resource), args, tmux });
    let decision: Decision | undefined;
    const record = async (outcome: unknown): Promise<void> => {
      if (startedAt !== undefined) await gate.record(callContext, { outcome, startedAt, decision });
    };
    try {
      decision = await gate.decide(callContext);
      const { sees } = gate.view(callContext);
      const fit: ResourceContext["fit"] = (max, view) => limit.fitJson(max, view);
      const read = (tmux: Tmux): Promise<unknown> =>
        resource.read(args, { tmux, commands, sees, fit, signal });
      const answer = await gate.present(callContext, await gate.within(callContext, decision, read));
      await record("ok");
      return { uri, ...encode(resource, answer, limit) };
    } catch (error) {
      await record(outcomeOfFailure(error, signal));
      throw error;
    }
  }

  /** A failure as an MCP error, with separate codes for missing, denied and broken resources. */
  #protocolError(error: unknown, asked?: string): McpError {
    if (error instanceof McpError) return error;
    const uri = asked === undefined ? {} : { uri: excerpt(asked, LONGEST_URI) };
    if (!(error instanceof AppError)) {
      const reason = messageOf(error);
      return new McpError(ErrorCode.InternalError, shortMessage(`Internal error: ${reason}`), uri);
    }
    const { code, message } = error;
    const hint = error.hint === undefined ? undefined : shortMessage(this.#services.advice(error.hint));
    const text = hint === undefined ? shortMessage(message) : `${shortMessage(message)}. ${hint}`;
    const data = { ...uri, code, ...(hint === undefined ? {} : { hint }) };
    return new McpError(CODES[code] ?? ErrorCode.InternalError, text, data);
  }

  async #listAll(signal: AbortSignal): Promise<(WireResource & { place: ResourceOrder })[]> {
    const { gate, commands } = this.#services;
    const tmux = (await this.#services.home()).during(signal);
    const listed = this.#resources.flatMap((resource, kind) => resource.list ? [{ resource, kind }] : []);
    const callContext = gate.callContext({ declaration: LISTING, args: {}, tmux });
    if (!await isAllowed(gate, callContext)) return [];
    const [sessions, panes] = await Promise.all([tmux.sessions.list(), tmux.panes.infos()]);
    const commandIds = await commands.ids(tmux, await gate.view(callContext).sees.panes());
    const entries = listed.flatMap(({ resource, kind }) =>
      resource.list!({ sessions, panes, commandIds }).map(({ args, title, id }, index, { length }) => ({
        id,
        // Commands, the newest first, are counted from the oldest: new ones move no other to a later page.
        place: [kind, id === "" ? index - length : Number(id.slice(1))] as ResourceOrder,
        uri: spellUri(resource, args),
        // A program's name can have a line break in it, and clients show this text in a line of their own.
        name: excerpt(title.replaceAll(/[\p{Cc}\p{Bidi_Control}]/gu, "?"), LONGEST_TITLE),
        mimeType: resource.mimeType,
        description: resource.description,
      }))
    );
    const shown = await gate.present(callContext, entries) as typeof entries;
    return shown.map(({ id: _, ...entry }) => entry).sort((a, b) => compare(a.place, b.place));
  }
}

/** Encodes contents within the limit; the server's own pages are never cut. */
function encode(
  { mimeType, page }: Resource,
  answer: unknown,
  limit: AnswerLimit,
): Omit<ResourceContents, "uri"> {
  if (page !== undefined) return { mimeType, text: String(answer), _meta: { ui: page } };
  const { value, omitted } = typeof answer === "string" ? limit.text(answer) : limit.json(answer);
  if (omitted === undefined) {
    return { mimeType, text: typeof value === "string" ? value : JSON.stringify(value) };
  }
  const note = advise(omitted, "Read a smaller resource, or call a tool for the part you need.");
  return { mimeType, text: withNote(value, note), _meta: { [OMITTED]: note } };
}

/** Adds a note on omitted entries to `_meta`, because a list has no fields of its own. */
function withNote(value: unknown, note: string): string {
  if (typeof value === "string") return `[${note}]\n${value}`;
  return JSON.stringify(Array.isArray(value) ? value : { ...value as object, omitted: note });
}

/** The kind of a resource, and the number of its object. */
type ResourceOrder = [kind: number, object: number];

function compare(a: ResourceOrder, b: ResourceOrder): number {
  return a[0] - b[0] || a[1] - b[1];
}

function readCursor(cursor: string): ResourceOrder {
  try {
    const [kind, object] = JSON.parse(atob(cursor));
    if (Number.isInteger(kind) && Number.isInteger(object)) return [kind, object];
  } catch {
    // The cursor isn't one of ours.
  }
  const expected = "expected one that resources/list returned; leave it out for the first page";
  throw new McpError(ErrorCode.InvalidParams, `Invalid cursor "${excerpt(cursor, 100)}": ${expected}`);
}

/** A resource as the declaration that policy decides on. */
function declare({ name, groups, targets }: Resource): Declaration {
  return { name, groups, targets, effect: "read" };
}

const CODES: Partial<Record<AppError["code"], number>> = {
  "not-found": NOT_FOUND,
  "gone": NOT_FOUND,
  "denied": DENIED,
  "invalid-argument": ErrorCode.InvalidParams,
};
