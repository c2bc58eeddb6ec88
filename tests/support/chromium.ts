// A headless Chromium without network access, controlled over its DevTools protocol. It ends with the scope.
import { join } from "@std/path";
import { removeFolder } from "./remove_folder.ts";

const PROGRAMS = ["chromium-headless-shell", "chromium", "google-chrome", "chrome"];
const FLAGS = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-dev-shm-usage",
  "--disable-component-update",
  "--disable-background-networking",
  "--no-first-run",
  "--host-resolver-rules=MAP * ~NOTFOUND",
  "--remote-debugging-port=0",
  // A sandboxed frame in the page's own process can be inspected without a separate session.
  "--disable-features=IsolateSandboxedIframes",
];
const ANSWER_MS = 60_000;

interface Message {
  id?: number;
  sessionId?: string;
  method?: string;
  params?: Record<string, unknown>;
  result?: Record<string, unknown>;
  error?: { message: string };
}

export class Chromium implements AsyncDisposable {
  readonly #process: Deno.ChildProcess;
  readonly #folder: string;
  readonly #said: Promise<void>;
  readonly #socket: WebSocket;
  readonly #waiting: Map<number, PromiseWithResolvers<Record<string, unknown>>> = new Map();
  readonly #events: EventTarget = new EventTarget();
  #next = 1;

  private constructor(process: Deno.ChildProcess, { folder, socket, said }: {
    folder: string;
    socket: WebSocket;
    said: Promise<void>;
  }) {
    this.#process = process;
    this.#folder = folder;
    this.#socket = socket;
    this.#said = said;
    socket.onmessage = ({ data }) => this.#receive(JSON.parse(data));
  }

  static async start(): Promise<Chromium> {
    const folder = await Deno.makeTempDir({ prefix: "tmux-mcp-chromium-" });
    const process = new Deno.Command(await findProgram(), {
      args: [...FLAGS, `--user-data-dir=${folder}`, "about:blank"],
      env: { HOME: folder, PATH: Deno.env.get("PATH") ?? "/usr/bin:/bin" },
      clearEnv: true,
      stdin: "null",
      stdout: "null",
      stderr: "piped",
    }).spawn();
    const found = Promise.withResolvers<string>();
    const said = readLines(process.stderr, (line) => {
      const address = /DevTools listening on (ws:\S+)/.exec(line)?.[1];
      if (address) found.resolve(address);
    });
    said.then(() => found.reject(new Error("Chromium ended before it listened")));
    const socket = new WebSocket(await found.promise);
    await new Promise((resolve, reject) => {
      socket.onopen = resolve;
      socket.onerror = reject;
    });
    return new Chromium(process, { folder, socket, said });
  }

  /** An empty page of this size in pixels. */
  async page(width: number, height: number): Promise<Page> {
    const { targetId } = await this.send("Target.createTarget", { url: "about:blank" });
    const { sessionId } = await this.send("Target.attachToTarget", { targetId, flatten: true });
    const page = new Page(this, String(sessionId));
    await page.send("Runtime.enable");
    await page.send("Page.enable");
    await page.send("Emulation.setDeviceMetricsOverride", {
      width,
      height,
      deviceScaleFactor: 1,
      mobile: false,
    });
    return page;
  }

  async send(method: string, params: object = {}, sessionId?: string): Promise<Record<string, unknown>> {
    const id = this.#next++;
    const answer = Promise.withResolvers<Record<string, unknown>>();
    this.#waiting.set(id, answer);
    this.#socket.send(JSON.stringify({ id, method, params, ...(sessionId && { sessionId }) }));
    const timer = setTimeout(() => answer.reject(new Error(`No answer to ${method}`)), ANSWER_MS);
    return await answer.promise.finally(() => clearTimeout(timer));
  }

  on(sessionId: string, method: string, told: (params: Record<string, unknown>) => void): void {
    this.#events.addEventListener(`${sessionId} ${method}`, (event) => told((event as CustomEvent).detail));
  }

  #receive({ id, sessionId, method, params, result, error }: Message): void {
    if (method !== undefined) {
      this.#events.dispatchEvent(new CustomEvent(`${sessionId} ${method}`, { detail: params ?? {} }));
    }
    const waiting = this.#waiting.get(id ?? 0);
    this.#waiting.delete(id ?? 0);
    if (error) waiting?.reject(new Error(error.message));
    else waiting?.resolve(result ?? {});
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = new Promise((resolve) => this.#socket.onclose = resolve);
    await this.send("Browser.close").catch(() => this.#process.kill("SIGKILL"));
    await Promise.all([closed, this.#process.status, this.#said]);
    // Helper processes write to it until they end.
    await removeFolder(this.#folder);
  }
}

export class Page {
  readonly #browser: Chromium;
  readonly #session: string;
  readonly #contexts: Set<number> = new Set();

  constructor(browser: Chromium, session: string) {
    this.#browser = browser;
    this.#session = session;
    this.on("Runtime.executionContextCreated", ({ context }) => {
      this.#contexts.add((context as { id: number }).id);
    });
    this.on("Runtime.executionContextDestroyed", ({ executionContextId }) => {
      this.#contexts.delete(executionContextId as number);
    });
  }

  send(method: string, params: object = {}): Promise<Record<string, unknown>> {
    return this.#browser.send(method, params, this.#session);
  }

  on(method: string, told: (params: Record<string, unknown>) => void): void {
    this.#browser.on(this.#session, method, told);
  }

  /** Evaluates and awaits an expression in the page or one of its frames. */
  async evaluate(expression: string, contextId?: number): Promise<unknown> {
    const { result, exceptionDetails } = await this.send("Runtime.evaluate", {
      ...{ expression, awaitPromise: true, returnByValue: true },
      ...(contextId === undefined ? {} : { contextId }),
    });
    if (exceptionDetails) throw new Error(JSON.stringify(exceptionDetails));
    return (result as { value: unknown }).value;
  }

  /** Finds the frame in which an expression is true. */
  async frame(expression: string): Promise<number> {
    for (const id of this.#contexts) {
      if (await this.evaluate(expression, id).catch(() => false) === true) return id;
    }
    throw new Error(`No frame has ${expression}`);
  }

  /** A PNG of the visible page, from its top left corner. */
  async picture(width: number, height: number): Promise<Uint8Array> {
    const clip = { x: 0, y: 0, width, height, scale: 1 };
    const { data } = await this.send("Page.captureScreenshot", { format: "png", clip });
    return Uint8Array.fromBase64(String(data));
  }
}

async function findProgram(): Promise<string> {
  const folders = (Deno.env.get("PATH") ?? "").split(":");
  for (const path of PROGRAMS.flatMap((name) => folders.map((folder) => join(folder, name)))) {
    if ((await Deno.stat(path).catch(() => undefined))?.isFile) return path;
  }
  throw new Error("No Chromium on PATH: apt-get install chromium-headless-shell");
}

async function readLines(stream: ReadableStream<Uint8Array>, told: (line: string) => void): Promise<void> {
  let rest = "";
  for await (const text of stream.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + text).split("\n");
    rest = lines.pop()!;
    lines.forEach(told);
  }
}
