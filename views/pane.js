// The live view: it runs in a frame of an MCP client, draws a pane and types into it. It reaches this server
// only through that client, and loads nothing.
import { errorOf, Host, refusalFor, sentenceFor } from "./host.js";
import { keyName, Typist } from "./typing.js";

/** @typedef {import("./host.js").CallError} CallError */
/** @typedef {{ paneId: string, socket?: string, host?: string }} Where */

const PROTOCOL = "2026-01-26";
/** Seconds that the server waits for a change, well below the time limits of hosts. */
const WAIT_SECONDS = 20;
/** Interval between snapshots of a pane that keeps printing (ms). */
const PACE_MS = 50;
/** Pause before a retry after a temporary failure, and between snapshots of a dead pane (ms). */
const RETRY_MS = 3000;
const FONT_SIZES = { smallest: 7, largest: 14 };

/**
 * Text that makes a terminal show a screen as tmux captured it.
 * @param {{ content: string, cursorX: number, cursorY: number, cursorHidden?: true, dead?: boolean }} shown
 */
function painting({ content, cursorX, cursorY, cursorHidden, dead }) {
  // On the alternate screen (?47h), xterm.js shows a cursor even before the first click. Rows that xterm.js
  // takes as longer than tmux does must not wrap (?7l). \x0e switches to G1, which is line drawing.
  const begin = "\x1b[?47h\x1b[0m\x1b(B\x1b)0\x0f\x1b[?7l\x1b[?25l\x1b[H\x1b[J";
  const cursor = cursorHidden || dead ? "" : `\x1b[${cursorY + 1};${cursorX + 1}H\x1b[?25h`;
  return `${begin}${content.replaceAll("\n", "\r\n")}\x1b[0m\x0f${cursor}`;
}

/** The page: a terminal, a line above it, and the loop between. */
class View {
  #settings = JSON.parse(element("settings").textContent ?? "{}");
  #terminal;
  #host;
  #typist;
  /** @type {Where | undefined} */
  #where;
  #ended = false;
  #painted = false;
  #focused = false;
  #width = 80;
  /** @type {string[]} */
  #modes = [];

  constructor() {
    const { Terminal, Unicode11Addon } = /** @type {any} */ (globalThis);
    this.#terminal = new Terminal({
      scrollback: 0,
      cursorBlink: false,
      allowProposedApi: true,
      fontFamily: variable("--font-mono"),
      // Links can't be clicked, because a program's link can't be trusted.
      linkHandler: { activate() {} },
      convertEol: false,
      drawBoldTextInBrightColors: false,
      screenReaderMode: false,
    });
    this.#terminal.loadAddon(new Unicode11Addon.Unicode11Addon());
    this.#terminal.unicode.activeVersion = "11";
    this.#terminal.open(element("screen"));
    this.#host = new Host((message) => parent.postMessage(message, "*"), this.#handlers());
    this.#typist = new Typist(
      (tool, text) => this.#send(tool, text),
      (error) => this.#refused(error),
    );
    this.#listen();
  }

  async start() {
    const { hostContext } = await this.#host.request("ui/initialize", {
      protocolVersion: PROTOCOL,
      appInfo: { name: "tmux-mcp", version: this.#settings.version },
      appCapabilities: { availableDisplayModes: ["inline", "fullscreen"] },
    });
    this.#adapt({ theme: prefersDark() ? "dark" : "light", ...hostContext });
    this.#host.notify("ui/notifications/initialized", {});
  }

  #handlers() {
    return {
      "ping": () => ({}),
      "ui/notifications/tool-input": (/** @type {any} */ params) => this.#open(params.arguments),
      "ui/notifications/tool-result": (/** @type {import("./host.js").Answer} */ answer) => {
        if (answer.isError) return this.#stop(errorOf(answer));
        // Content for a client that doesn't let the page call tools.
        if (!this.#painted) this.#paint({ ...answer.structuredContent, cursorHidden: true });
        this.#open(answer.structuredContent);
      },
      "ui/notifications/tool-cancelled": () => this.#end("Cancelled", "ended"),
      "ui/notifications/host-context-changed": (/** @type {any} */ context) => this.#adapt(context),
      "ui/resource-teardown": () => {
        this.#end("Closed", "ended");
        this.#host.cancelAll();
      },
    };
  }

  #listen() {
    addEventListener("message", ({ source, data }) => {
      if (source === parent) this.#host.receive(data);
    });
    this.#terminal.attachCustomKeyEventHandler((/** @type {KeyboardEvent} */ event) => this.#pressed(event));
    // xterm.js would turn the wheel into arrow keys.
    this.#terminal.attachCustomWheelEventHandler(() => false);
    this.#terminal.onData((/** @type {string} */ text) => this.#typist.type("text", text));
    const screen = element("screen");
    screen.addEventListener("paste", (event) => {
      event.preventDefault();
      event.stopPropagation();
      const text = event.clipboardData?.getData("text/plain");
      if (text) this.#typist.type("paste", text);
    }, { capture: true });
    for (const kind of ["focusin", "focusout"]) {
      screen.addEventListener(kind, () => {
        this.#focused = kind === "focusin";
        this.#sayLive();
      });
    }
    element("larger").addEventListener("click", () => {
      this.#host.request("ui/request-display-mode", { mode: "fullscreen" }).catch(() => {});
    });
    new ResizeObserver(() => this.#fit()).observe(screen);
    new ResizeObserver(() => {
      const { height } = document.body.getBoundingClientRect();
      this.#host.notify("ui/notifications/size-changed", { height: Math.ceil(height) });
    }).observe(document.body);
  }

  /** @param {Partial<Where> | undefined} args */
  #open(args) {
    if (this.#where || this.#ended || !args?.paneId) return;
    const { paneId, socket, host } = args;
    this.#where = { paneId, ...(socket && { socket }), ...(host && { host }) };
    this.#sayLive();
    this.#follow(this.#where);
  }

  /** @param {Where} where */
  async #follow(where) {
    let seen;
    while (!this.#ended) {
      try {
        await visible();
        const shown = await this.#host.call("snapshot-pane", {
          ...where,
          colors: true,
          waitSeconds: WAIT_SECONDS,
          ...(seen && { seen }),
        });
        if (shown.version !== seen) this.#paint(shown);
        seen = shown.version;
        await pause(shown.dead ? RETRY_MS : PACE_MS);
      } catch (error) {
        await this.#failed(/** @type {CallError} */ (error));
        // The page then looks at the pane again and again, without waiting for a change.
        if (/** @type {CallError} */ (error).code === "busy") seen = undefined;
      }
    }
  }

  /** @param {any} shown */
  #paint(shown) {
    const { width, height, sessionName, windowName, currentCommand, paneId, dead = false, inMode } = shown;
    this.#painted = true;
    this.#width = width;
    this.#terminal.resize(width, height);
    this.#fit();
    this.#terminal.write(painting(shown));
    element("screen").classList.toggle("ended", dead);
    const what = dead ? "ended" : inMode ? `${currentCommand}, scrolled back` : currentCommand;
    const where = sessionName === undefined ? "" : ` ${sessionName}: ${windowName}`;
    element("name").textContent = `${paneId}${where} (${what}) ${width}×${height}`;
  }

  /** @param {CallError} error */
  async #failed(error) {
    const final = ["gone", "not-found", "denied", "invalid-argument"].includes(error.code);
    if (final) return this.#stop(error);
    if (error.code === "timeout") return;
    this.#say(sentenceFor(error), "failed", error);
    // Don't retry automatically if the client refused, because it may ask its user about each call.
    await (error.code === "host" ? clicked("again") : pause(RETRY_MS));
    this.#sayLive();
  }

  /** @param {string} tool @param {string} text */
  async #send(tool, text) {
    if (!this.#where || this.#ended) return;
    if (tool === "paste") await this.#host.call("paste-text", { ...this.#where, text });
    else await this.#host.call("send-keys", { ...this.#where, keys: text, literal: tool === "text" });
    if (element("state").dataset.kind === "refused") this.#sayLive();
  }

  /** @param {CallError} error */
  #refused(error) {
    this.#say(refusalFor(error), "refused", error);
  }

  /** True if xterm.js continues with the key. @param {KeyboardEvent} event */
  #pressed(event) {
    if (event.type !== "keydown" || event.isComposing || this.#terminal.options.disableStdin) return true;
    if (event.ctrlKey && event.key === "c" && this.#terminal.hasSelection()) return false;
    const altGraph = event.getModifierState("AltGraph");
    const name = altGraph ? undefined : keyName(event, navigator.platform.startsWith("Mac"));
    if (name === undefined) return altGraph || !(event.ctrlKey || event.metaKey);
    event.preventDefault();
    this.#typist.type("key", name);
    return false;
  }

  /**
   * Applies the client's colors, fonts and display modes.
   * @param {any} context
   */
  #adapt({ theme, styles, displayMode, availableDisplayModes }) {
    const root = document.documentElement;
    for (const [name, value] of Object.entries(styles?.variables ?? {})) {
      if (typeof value === "string") root.style.setProperty(name, value);
    }
    if (theme) {
      root.style.colorScheme = theme;
      this.#terminal.options.theme = this.#settings.themes[theme];
      element("screen").style.background = this.#settings.themes[theme].background;
    }
    this.#terminal.options.fontFamily = variable("--font-mono");
    this.#modes = availableDisplayModes ?? this.#modes;
    if (displayMode || availableDisplayModes) {
      element("larger").hidden = displayMode === "fullscreen" || !this.#modes.includes("fullscreen");
    }
    this.#fit();
  }

  /** Sets the font size at which the pane's width fits, down to the smallest readable one. */
  #fit() {
    const { clientWidth } = element("screen");
    const { paddingLeft, paddingRight } = getComputedStyle(element("screen"));
    const room = clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight);
    const size = Math.floor(room / this.#width / advance(this.#terminal.options.fontFamily) * 2) / 2;
    const { smallest, largest } = FONT_SIZES;
    this.#terminal.options.fontSize = Math.min(largest, Math.max(smallest, size));
  }

  /** @param {CallError} error */
  #stop(error) {
    this.#end(sentenceFor(error), ["gone", "not-found"].includes(error.code) ? "ended" : "failed", error);
  }

  /** @param {string} text @param {string} kind @param {Error} [cause] */
  #end(text, kind, cause) {
    if (this.#ended) return;
    this.#say(text, kind, cause);
    this.#ended = true;
    this.#terminal.options.disableStdin = true;
    element("screen").classList.add("ended");
  }

  #sayLive() {
    this.#say(this.#focused ? "What you type goes to the pane" : "Live: click to type", "live");
  }

  /**
   * Shows a message; the server's own text is in the tooltip.
   * @param {string} text
   * @param {string} kind
   * @param {Error} [cause]
   */
  #say(text, kind, cause) {
    if (this.#ended) return;
    const state = element("state");
    state.textContent = text;
    state.title = cause?.message ?? "";
    state.dataset.kind = kind;
  }
}

/** Settles when the page is visible, because a view that nobody sees makes no calls. */
function visible() {
  return /** @type {Promise<void>} */ (new Promise((resolve) => {
    const observer = new IntersectionObserver((entries) => {
      if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
      observer.disconnect();
      resolve();
    });
    observer.observe(element("screen"));
  }));
}

/** Shows a button until it is clicked. @param {string} id */
async function clicked(id) {
  element(id).hidden = false;
  await new Promise((resolve) => element(id).addEventListener("click", resolve, { once: true }));
  element(id).hidden = true;
}

/** Width of a letter in em. @param {string} family */
function advance(family) {
  const drawing = document.createElement("canvas").getContext("2d");
  if (!drawing) return 0.6;
  drawing.font = `100px ${family}`;
  return drawing.measureText("W").width / 100;
}

/** @param {string} id @returns {HTMLElement} */
function element(id) {
  const found = document.getElementById(id);
  if (!found) throw new Error(`The page has no #${id}`);
  return found;
}

/** @param {string} name */
function variable(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

function prefersDark() {
  return matchMedia("(prefers-color-scheme: dark)").matches;
}

/** @param {number} ms */
function pause(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

if ("document" in globalThis) await new View().start();
