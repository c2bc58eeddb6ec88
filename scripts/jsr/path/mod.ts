// Replaces jsr:@std/path if JSR can't be reached: the same names, for POSIX. node:path would do too, but adds
// 5 ms to every start.

export function isAbsolute(path: string): boolean {
  return path.startsWith("/");
}

export function normalize(path: string): string {
  const parts: string[] = [];
  for (const part of path.split("/")) {
    if (part === "" || part === ".") continue;
    if (part !== "..") parts.push(part);
    else if (parts.length > 0 && parts.at(-1) !== "..") parts.pop();
    else if (!isAbsolute(path)) parts.push("..");
  }
  const whole = (isAbsolute(path) ? "/" : "") + parts.join("/");
  if (whole === "") return path.endsWith("/") ? "./" : ".";
  return path.endsWith("/") && whole !== "/" ? `${whole}/` : whole;
}

export function join(...paths: string[]): string {
  return normalize(paths.filter((path) => path !== "").join("/") || ".");
}

export function resolve(...paths: string[]): string {
  const start = paths.findLastIndex(isAbsolute);
  const from = start < 0 ? [Deno.cwd(), ...paths] : paths.slice(start);
  return withoutEnd(normalize(from.filter((path) => path !== "").join("/")));
}

export function dirname(path: string): string {
  const whole = withoutEnd(path);
  const at = whole.lastIndexOf("/");
  if (at < 0) return whole === "/" ? "/" : ".";
  return withoutEnd(whole.slice(0, at + 1));
}

export function basename(path: string, suffix = ""): string {
  const whole = withoutEnd(path);
  const name = whole === "/" ? whole : whole.slice(whole.lastIndexOf("/") + 1);
  return name !== suffix && name.endsWith(suffix) ? name.slice(0, name.length - suffix.length) : name;
}

export function relative(from: string, to: string): string {
  const [here, there] = [from, to].map((path) => resolve(path).split("/").filter((part) => part !== ""));
  const same = here!.findIndex((part, index) => part !== there![index]);
  const shared = same < 0 ? here!.length : same;
  return [...here!.slice(shared).map(() => ".."), ...there!.slice(shared)].join("/");
}

export function fromFileUrl(url: string | URL): string {
  const { protocol, pathname } = new URL(url);
  if (protocol !== "file:") throw new TypeError(`Invalid URL "${url}": expected file:`);
  return decodeURIComponent(pathname);
}

export function toFileUrl(path: string): URL {
  const url = new URL("file:///");
  url.pathname = resolve(path).replaceAll("%", "%25").replaceAll("\\", "%5C");
  return url;
}

function withoutEnd(path: string): string {
  return path.length > 1 ? path.replace(/\/+$/, "") || "/" : path;
}
