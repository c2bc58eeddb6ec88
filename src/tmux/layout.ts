// Window layouts: the names that tmux knows, and the grammar of its layout strings.
import { AppError } from "../errors.ts";
import { didYouMean } from "../nearest.ts";
import { isAtLeast } from "../tmux_exec/version.ts";

const LAYOUT_NAMES = ["even-horizontal", "even-vertical", "main-horizontal", "main-vertical", "tiled"];
const MIRRORED_NAMES = ["main-horizontal-mirrored", "main-vertical-mirrored"];

/** Layout names that this version knows; older versions take the newer names for layout strings. */
function layoutNames(version: string): readonly string[] {
  return isAtLeast(version, 3, 5) ? [...LAYOUT_NAMES, ...MIRRORED_NAMES] : LAYOUT_NAMES;
}

/** Refuses a layout that is neither a known name nor a valid layout string, because a malformed one kills tmux 3.3a. */
export function checkLayout(layout: string, version: string): void {
  if (layoutNames(version).includes(layout) || isJsonLayout(layout, version)) return;
  const problem = findLayoutProblem(layout);
  if (problem !== undefined) throw badLayout(layout, problem, version);
}

/** Returns the error for a layout that this version of tmux would refuse; `problem` is the reason. */
export function badLayout(layout: string, problem: string, version: string): AppError {
  const names = layoutNames(version);
  const what = `Cannot use layout ${JSON.stringify(layout.slice(0, 80))}: ${problem}`;
  const valid = `${names.join(", ")}, or the layout of a window that list-windows shows`;
  return new AppError("invalid-argument", what, { hint: `${didYouMean(layout, names)}Valid: ${valid}` });
}

/**
 * The problem with a valid layout string that tmux refused for it; tmux 3.2 gives no reason, but it has no other.
 * `seen`: number of the window's panes that the caller sees; it learns of no others.
 */
export function refusedLayout(message: string, seen: number): string {
  const [, panes, places] = /have (\d+) panes but need (\d+)/.exec(message) ?? [];
  if (panes === undefined && !message.includes("can't set layout")) return message;
  return Number(panes) === seen
    ? `it has ${places} of the ${panes} panes of the window`
    : "it has fewer panes than the window";
}

/** True if a layout is JSON, as tmux writes it from 3.8 on; its JSON parser accepts any text without crashing. */
function isJsonLayout(layout: string, version: string): boolean {
  return layout.startsWith("{") && isAtLeast(version, 3, 8);
}

/** True if `select-layout` takes the layout that tmux shows of a window: from 3.7 on, not one with floating panes. */
export function isRestorable(layout: string): boolean {
  return layout.startsWith("{") || findLayoutProblem(layout) === undefined;
}

/** Returns the problem of a layout string such as `b25d,80x24,0,0,0`; undefined if it has none. */
export function findLayoutProblem(layout: string): string | undefined {
  const [, sum, body] = /^([0-9a-f]{4}),(.+)$/s.exec(layout) ?? [];
  if (sum === undefined || body === undefined) return "it is neither a layout's name nor a layout string";
  if (layoutChecksum(body) !== sum) return `its checksum should be ${layoutChecksum(body)}`;
  try {
    const parser = new LayoutParser(body);
    parser.cell();
    parser.end();
    return undefined;
  } catch (error) {
    if (error instanceof LayoutError) return error.message;
    throw error;
  }
}

/** Returns the checksum that tmux puts before a layout: 16 bits, rotated right and added to, in four hex digits. */
export function layoutChecksum(body: string): string {
  let sum = 0;
  for (const byte of new TextEncoder().encode(body)) {
    sum = ((sum >> 1) + ((sum & 1) << 15) + byte) & 0xffff;
  }
  return sum.toString(16).padStart(4, "0");
}

class LayoutError extends Error {}

interface LayoutCell {
  width: number;
  height: number;
}

/** Maximum nesting of cells, because tmux's own parser is recursive. */
const MAX_DEPTH = 64;
/** Maximum width and height of a cell, as of a window that the tools size. */
const MAX_SIDE = 10_000;

class LayoutParser {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** Parses `WxH,X,Y`, then a pane id, `{side,by,side}` or `[one,below,the,other]`; the sizes must add up. */
  cell(depth = 0): LayoutCell {
    if (depth > MAX_DEPTH) throw new LayoutError("its cells nest too deep");
    const cell = this.#place();
    const open = this.#text[this.#at];
    if (open === "{" || open === "[") {
      const children = this.#children(open === "{" ? "}" : "]", depth);
      checkFit(cell, children, open === "{" ? "width" : "height");
    } else {
      this.#paneId();
    }
    return cell;
  }

  end(): void {
    if (this.#at !== this.#text.length) throw new LayoutError(`it continues after its end, at ${this.#at}`);
  }

  #place(): LayoutCell {
    const match = this.#take(/(\d{1,5})x(\d{1,5}),(\d{1,5}),(\d{1,5})/y, "WIDTHxHEIGHT,X,Y");
    const [width, height] = match.slice(1).map(Number) as [number, number];
    if (width < 1 || height < 1) throw new LayoutError("a cell has no size");
    if (Math.max(width, height) > MAX_SIDE) {
      throw new LayoutError(`a cell of ${width}x${height} is larger than ${MAX_SIDE}x${MAX_SIDE}`);
    }
    return { width, height };
  }

  #paneId(): void {
    // A following `,WxH` is the next cell, not the pane of this one.
    const id = /,\d+(?!\d*x)/y;
    id.lastIndex = this.#at;
    if (id.test(this.#text)) this.#at = id.lastIndex;
  }

  #children(close: string, depth: number): LayoutCell[] {
    const children: LayoutCell[] = [];
    do {
      this.#at++;
      children.push(this.cell(depth + 1));
    } while (this.#text[this.#at] === ",");
    if (this.#text[this.#at] !== close) throw new LayoutError(`"${close}" is missing at ${this.#at}`);
    this.#at++;
    return children;
  }

  #take(pattern: RegExp, what: string): RegExpExecArray {
    pattern.lastIndex = this.#at;
    const match = pattern.exec(this.#text);
    if (!match) throw new LayoutError(`${what} is missing at ${this.#at}`);
    this.#at = pattern.lastIndex;
    return match;
  }
}

/** Checks that children fill their parent along one axis, with a line between two, and match it along the other. */
function checkFit(parent: LayoutCell, children: readonly LayoutCell[], along: "width" | "height"): void {
  const across = along === "width" ? "height" : "width";
  if (children.length < 2) throw new LayoutError("a split has one cell only");
  const filled = children.reduce((sum, child) => sum + child[along], children.length - 1);
  if (filled !== parent[along]) {
    throw new LayoutError(`${along}s of a split do not add up to ${parent[along]}`);
  }
  if (children.some((child) => child[across] !== parent[across])) {
    throw new LayoutError(`a cell's ${across} is not its split's ${parent[across]}`);
  }
}
