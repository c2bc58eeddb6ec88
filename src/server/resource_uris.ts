// Resource URIs: matching them to templates, reading ids out of them raw or percent-encoded, and spelling them.
import type { Resource, ResourceArguments } from "../resources/resource.ts";

/** What a URI is about. */
export interface ResourceRef {
  resource: Resource;
  args: ResourceArguments;
  socket?: string;
  host?: string;
}

/** What an id of each kind looks like; other placeholders can be any text. */
const IDS: Readonly<Record<string, RegExp>> = {
  paneId: /^%\d+$/,
  windowId: /^@\d+$/,
  sessionId: /^\$\d+$/,
};

/** The resource a URI names; `undefined` where no template fits. */
export function findResource(uri: string, resources: readonly Resource[]): ResourceRef | undefined {
  const [path = "", query = ""] = uri.split(/\?(.*)/s);
  for (const resource of resources) {
    const args = matchPath(path, resource.uri);
    if (!args) continue;
    const { socket, host } = Object.fromEntries(new URLSearchParams(query));
    return { resource, args, ...(socket ? { socket } : {}), ...(host ? { host } : {}) };
  }
  return undefined;
}

/** The URI of a resource; what stands for a placeholder is percent-encoded. */
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
    if (name !== undefined) args[name] = decode(name, part);
  }
  return args;
}

/** Decoding comes first (`%250` is `%0`); what gives no id of its kind is taken as it stands (`%5`). */
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
