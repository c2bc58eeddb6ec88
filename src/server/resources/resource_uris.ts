// Resource URIs: matches them to templates, extracts ids, raw or percent-encoded, and builds URIs.
import { ID_PATTERNS } from "../../ids.ts";
import { AppError } from "../../errors.ts";
import { decodePercent } from "../../json.ts";
import { didYouMean } from "../../nearest.ts";
import type { Resource, ResourceArguments } from "../../resources/resource.ts";

/** The object that a URI names. */
export interface ResourceRef {
  resource: Resource;
  args: ResourceArguments;
  socket?: string;
  host?: string;
}

interface Id {
  pattern: RegExp;
  example: string;
  /** Request or resource that lists ids of this kind. */
  listed: string;
}

/** Valid values of id placeholders; other placeholders take any text. */
const IDS: Readonly<Record<string, Id>> = {
  paneId: { pattern: ID_PATTERNS.pane, example: "a pane id such as %5", listed: "resources/list" },
  windowId: {
    pattern: ID_PATTERNS.window,
    example: "a window id such as @3",
    listed: "tmux://sessions/{name}/windows",
  },
  sessionId: { pattern: ID_PATTERNS.session, example: "a session id such as $1", listed: "tmux://sessions" },
};

const PARAMETERS = ["socket", "host"];

/**
 * The resource that a URI names.
 * @throws {AppError} `invalid-argument` for an unknown or empty parameter; `not-found` if no template
 * matches, naming an invalid id
 */
export function findResource(uri: string, resources: readonly Resource[]): ResourceRef {
  const [path = "", query = ""] = uri.split(/\?(.*)/s);
  let problem = "";
  let hint = "Call resources/list or resources/templates/list for the resources that exist";
  for (const resource of resources) {
    const args = matchPath(path, resource.uri);
    if (!args) continue;
    // tmux would take any other text as the beginning of a name, or as the current object.
    const [name, value] = Object.entries(args).find(([name, value]) =>
      IDS[name]?.pattern.test(value) === false
    ) ?? [];
    if (name === undefined) return { resource, args, ...readParameters(uri, query) };
    const { example, listed } = IDS[name]!;
    problem = `: "${value}" is not ${example}`;
    hint = `Take one from ${listed}`;
  }
  throw new AppError("not-found", `Cannot find resource "${uri}"${problem}`, { hint });
}

function readParameters(uri: string, query: string): Pick<ResourceRef, "socket" | "host"> {
  const given = [...new URLSearchParams(query)];
  for (const [name, value] of given) {
    if (PARAMETERS.includes(name) && value !== "") continue;
    const isKnown = PARAMETERS.includes(name);
    const problem = isKnown ? `${name} is empty` : `there is no parameter "${name}"`;
    throw new AppError("invalid-argument", `Cannot read "${uri}": ${problem}`, {
      hint: isKnown
        ? `Leave ${name} out, or give it a value`
        : `${didYouMean(name, PARAMETERS)}Parameters: ${PARAMETERS.join(", ")}`,
    });
  }
  return Object.fromEntries(given);
}

/** The URI of a resource, with percent-encoded placeholder values. */
export function spellUri({ uri }: Pick<Resource, "uri">, args: ResourceArguments): string {
  return uri.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(args[name] ?? "").replaceAll("%40", "@"));
}

function matchPath(path: string, template: string): Record<string, string> | undefined {
  const [parts, pattern] = [path.split("/"), template.split("/")];
  if (parts.length !== pattern.length) return undefined;
  const args: Record<string, string> = {};
  for (const [index, wanted] of pattern.entries()) {
    const name = /^\{(\w+)\}$/.exec(wanted)?.[1];
    const part = parts[index]!;
    if (name === undefined && part !== wanted || part === "" && name !== undefined) return undefined;
    if (name === undefined) continue;
    args[name] = decode(name, part);
  }
  return args;
}

/**
 * Decodes a value (`%250` is `%0`), also one that was encoded only in part (`a%20b%`); if the decoded text isn't an id of
 * the right kind, the value is taken as it is (`%5`).
 */
function decode(name: string, part: string): string {
  const decoded = decodePercent(part) ??
    part.replaceAll(/(?:%[\da-f]{2})+/gi, (escapes) => decodePercent(escapes) ?? escapes);
  const id = IDS[name]?.pattern;
  return id !== undefined && !id.test(decoded) && id.test(part) ? part : decoded;
}
