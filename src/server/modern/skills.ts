// The methods of the skills extension (SEP-2640), for clients that load skills from servers.
import type { JSONRPCMessage } from "../sdk.ts";
import { internalError, invalidParams } from "../request_errors.ts";

/** Returns the entries of `skills/list`, each with the URI of its SKILL.md. */
export type ListSkills = () => Promise<readonly { uri: string }[]>;

type Answer = { result: Record<string, unknown> } | { error: { code: number; message: string } };

const METHODS: ReadonlySet<string> = new Set(["skills/list", "skills/get"]);
/** Skills change with the server's version only. */
const PUBLIC = { resultType: "complete", ttlMs: 300_000, cacheScope: "public" } as const;

export class Skills {
  readonly #list: ListSkills;
  readonly #send: (message: JSONRPCMessage) => void;

  constructor(list: ListSkills, send: (message: JSONRPCMessage) => void) {
    this.#list = list;
    this.#send = send;
  }

  /** Takes a message from the client. False if it isn't about skills. */
  receive(message: JSONRPCMessage): boolean {
    if (!("method" in message) || !("id" in message) || !METHODS.has(message.method)) return false;
    const { id, method, params } = message;
    this.#answer(method, params ?? {})
      .catch((error) => ({ error: internalError(error) }))
      .then((answer) => this.#send({ jsonrpc: "2.0", id, ...answer }));
    return true;
  }

  async #answer(method: string, { uri, cursor }: Record<string, unknown>): Promise<Answer> {
    const skills = await this.#list();
    if (method === "skills/list") {
      if (cursor !== undefined && cursor !== "") {
        return invalid("Invalid cursor: skills/list has one page; leave the cursor out");
      }
      return { result: { ...PUBLIC, skills } };
    }
    const found = skills.find((each) => each.uri === uri);
    if (found) return { result: { ...PUBLIC, skill: found } };
    const known = skills.map((each) => each.uri).join(", ");
    return invalid(`Unknown skill ${JSON.stringify(uri ?? null).slice(0, 100)}: expected one of ${known}`);
  }
}

function invalid(message: string): Answer {
  return { error: invalidParams(message) };
}
