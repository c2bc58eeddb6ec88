// Replaces secrets in messages to the client, without changing what the protocol compares.
import { decodePercent, isObject, parseJson } from "../json.ts";
import type { Masks } from "./masks.ts";

/** Fields of a message, and of its parameters, that its receiver compares. */
const OWN_FIELDS: ReadonlySet<string> = new Set(["id", "jsonrpc", "method"]);
const OWN_PARAMS: ReadonlySet<string> = new Set(["progressToken"]);

/**
 * Part of a message: what the protocol defines, the blocks of an answer, a tool's fields, JSON in a text. Tools' fields
 * and JSON may have keys from a pane or buffer, and JSON also numbers.
 */
type MessagePart = "protocol" | "blocks" | "fields" | "json";

export class MessageMasks {
  readonly #masks: Masks;

  constructor(masks: Masks) {
    this.#masks = masks;
  }

  /** Masks every text in a message. Texts in a list are also read as the lines of one text. */
  mask<T extends object>(message: T): T {
    const own = pick(message, OWN_FIELDS);
    const masked = this.#object(message as Record<string, unknown>, "protocol");
    if (!isObject(masked.params)) return { ...masked, ...own } as T;
    const params = { ...masked.params, ...pick("params" in message ? message.params : {}, OWN_PARAMS) };
    return { ...masked, params, ...own } as T;
  }

  /** Masks a text; one that is JSON stays JSON. */
  text(text: string): string {
    return this.#json(text) ?? this.#masks.text(text);
  }

  #deep(value: unknown, part: MessagePart): unknown {
    if (typeof value === "string") return this.text(value);
    if (typeof value === "number" && part === "json") return this.#number(value);
    if (Array.isArray(value)) return this.#list(value, part);
    return isObject(value) ? this.#object(value, part) : value;
  }

  #object(value: Record<string, unknown>, part: MessagePart): Record<string, unknown> {
    const isForeign = part === "fields" || part === "json";
    return Object.fromEntries(
      Object.entries(value).map(([key, each]) => [
        isForeign ? this.#masks.lines(key) : key,
        part === "blocks" && isPicture(key, value)
          ? each
          : this.#deep(key === "uri" ? this.#uri(each) : each, partAt(key, part)),
      ]),
    );
  }

  /** Decodes an address in which a secret is percent-encoded. */
  #uri(value: unknown): unknown {
    const read = typeof value === "string" ? decodePercent(value) : undefined;
    return read !== undefined && this.#masks.lines(read) !== read ? read : value;
  }

  #number(value: number): number | string {
    const masked = this.#masks.lines(String(value));
    return masked === String(value) ? value : masked;
  }

  /** Masks JSON by its values, and then as text, because a program can print JSON too; undefined for other text. */
  #json(text: string): string | undefined {
    const value = /^[[{]/.test(text) ? parseJson(text) : undefined;
    if (value === undefined || JSON.stringify(value) !== text) return undefined;
    return this.#masks.text(JSON.stringify(this.#deep(value, "json")));
  }

  #list(values: unknown[], part: MessagePart): unknown[] {
    const isText = values.every((each) => typeof each === "string");
    const masked = isText ? this.#rows(values as string[]) : this.#rowsOf(values) ?? values;
    return masked.map((each) => this.#deep(each, part));
  }

  /** Masks rows that each have a `text`, as one text. */
  #rowsOf(values: unknown[]): unknown[] | undefined {
    if (values.length === 0 || !values.every(hasText)) return undefined;
    const texts = this.#rows(values.map(({ text }) => text));
    return values.map((value, index) => ({ ...value, text: texts[index]! }));
  }

  #rows(rows: string[]): string[] {
    if (rows.length < 2 || rows.some((row) => row.includes("\n"))) return rows;
    return this.#masks.text(rows.join("\n")).split("\n");
  }
}

function partAt(key: string, part: MessagePart): MessagePart {
  if (part === "fields" || part === "json") return part;
  if (key === "structuredContent") return "fields";
  return key === "content" || key === "contents" ? "blocks" : "protocol";
}

/** True for the encoded bytes of a block. */
function isPicture(key: string, { type }: Record<string, unknown>): boolean {
  return key === "blob" || (key === "data" && type === "image");
}

function pick(value: unknown, keys: ReadonlySet<string>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(Object(value)).filter(([key]) => keys.has(key)));
}

function hasText(value: unknown): value is { text: string } {
  return isObject(value) && typeof value.text === "string";
}
