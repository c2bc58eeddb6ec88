// Resource URIs: matches them to templates, reads ids out of them, raw or percent-encoded, and spells them.
import { ID_PATTERNS } from "../../ids.ts";
import { AppError } from "../../errors.ts";
import { didYouMean } from "../../nearest.ts";
import type { Resource, ResourceArguments } from "../../resources/resource.ts";

/** The object that a URI names. */
export interface ResourceRef {
  resource: Resource;
  args: ResourceArguments;
  socket?: string;
  host?: string;
}

/** Pattern of each kind of id; other placeholders can be any text. */
const IDS: Readonly<Record<string, RegExp>> = {
  paneId: ID_PATTERNS.pane,
  windowId: ID_PATTERNS.window,
  sessionId: ID_PATTERNS.session,
};

const PARAMETERS = ["socket", "host"];

/**
 * The resource a URI names; `undefined` where no template fits.
 * @throws {AppError} `invalid-argument` for a parameter that is not known, or empty
 */
export function findResource(uri: string, resources: readonly Resource[]): ResourceRef | undefined {
  const [path = "", query = ""] = uri.split(/\?(.*)/s);
  for (const resource of resources) {
    const args = matchPath(path, resource.uri);
    if (!args) continue;
    return { resource, args, ...readParameters(uri, query) };
  }
  return undefined;
}

function readParameters(uri: string, query: string): Pick<ResourceRef, "socket" | "host"> {
  const given = [...new URLSearchParams(query)];
  for (const [name, value] of given) {
    if (PARAMETERS.includes(name) && value !== "") continue;
    const problem = value === "" ? `${name} is empty` : `no parameter is called "${name}"`;
    throw new AppError("invalid-argument", `Cannot read "${uri}": ${problem}`, {
      hint: `${didYouMean(name, PARAMETERS)}Parameters: ${PARAMETERS.join(", ")}`,
    });
  }
  return Object.fromEntries(given);
}

/** The URI of a resource; values of placeholders are percent-encoded. */
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
    // tmux would take any other text for the beginning of a name, or for what is current.
    if (IDS[name]?.test(args[name]) === false) return undefined;
  }
  return args;
}

/** Decoding comes first (`%250` is `%0`); a text that gives no id of its kind is taken as it is (`%5`). */
function decode(name: string, part: string): string {
  const decoded = tryDecode(part);
  const id = IDS[name];
  if (decoded === undefined) return part;
  return id !== undefined && !id.test(decoded) && id.test(part) ? part : decoded;
}

function tryDecode(part: string): string | undefined {
  try {
    return decodeURIComponent(part);
  } catch {
    return undefined;
  }
}
