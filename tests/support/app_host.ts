// A client that renders MCP Apps: a page with a sandboxed frame in Chromium, and the reference bridge from
// the frame to a client of this server.
import { AppBridge, type McpUiHostContext } from "@modelcontextprotocol/ext-apps/app-bridge";
import type { Chromium, Page } from "./chromium.ts";
import type { TestClient } from "./world.ts";

type Transport = Parameters<AppBridge["connect"]>[0];
type Message = Parameters<Transport["send"]>[0];

/** Policy that hosts must enforce for a page that declares no domains (MCP Apps, 2026-01-26). */
const CSP = "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; " +
  "img-src 'self' data:; media-src 'self' data:; connect-src 'none'";

export interface Shown {
  tool: string;
  args: Record<string, unknown>;
  hostContext?: McpUiHostContext;
  width?: number;
  height?: number;
  /** True if the person doesn't let the page call tools. */
  refuses?: boolean;
}

/** A waiting call of the view: the signal that aborts when the view cancels it, and its end. */
export interface Wait {
  signal: AbortSignal;
  over: Promise<unknown>;
}

/** A tool's view as a person sees it. */
export class AppHost {
  readonly page: Page;
  readonly bridge: AppBridge;
  /** Heights that the view asked for, in pixels. */
  readonly heights: number[] = [];
  /** Calls that the view made, in order. */
  readonly calls: { name: string; arguments?: Record<string, unknown> }[] = [];
  /** True if the page may call tools. */
  refuses: boolean;
  readonly #view: number;
  readonly #waiting: PromiseWithResolvers<Wait> = Promise.withResolvers();

  private constructor(page: Page, bridge: AppBridge, { view, refuses }: { view: number; refuses: boolean }) {
    this.refuses = refuses;
    this.page = page;
    this.bridge = bridge;
    this.#view = view;
  }

  /** Calls a tool and shows its page. */
  static async show(browser: Chromium, client: TestClient, shown: Shown): Promise<AppHost> {
    const { tools } = await client.client.listTools();
    const uri = (tools.find(({ name }) => name === shown.tool)?._meta?.ui as { resourceUri: string })
      .resourceUri;
    const [{ contents }, page] = await Promise.all([
      client.client.readResource({ uri }),
      browser.page(shown.width ?? 800, shown.height ?? 600),
    ]);
    const html = (contents[0] as { text: string }).text;
    const bridge = new AppBridge(
      null,
      { name: "tests", version: "1" },
      { serverTools: {} },
      {
        hostContext: shown.hostContext ?? { theme: "dark" },
      },
    );
    const initialized = new Promise<void>((resolve) => bridge.oninitialized = () => resolve());
    await bridge.connect(await transportTo(page));
    await page.evaluate(`show(${JSON.stringify(html.replace("<head>", `<head>${meta(CSP)}`))})`);
    await initialized;
    const view = await page.frame("document.getElementById('screen') !== null");
    const host = new AppHost(page, bridge, { view, refuses: shown.refuses ?? false });
    host.#listen(client);
    await bridge.sendToolInput({ arguments: shown.args });
    await bridge.sendToolResult(await client.call(shown.tool, shown.args) as never);
    return host;
  }

  /** Evaluates an expression in the view. */
  evaluate(expression: string): Promise<unknown> {
    return this.page.evaluate(expression, this.#view);
  }

  /** Waits until an expression about the view is true; returns the time (ms). */
  async until(expression: string): Promise<number> {
    return await this.evaluate(`new Promise((resolve) => {
      const check = () => {
        if (!(${expression})) return;
        observer.disconnect();
        resolve(performance.timeOrigin + performance.now());
      };
      const observer = new MutationObserver(check);
      observer.observe(document, { subtree: true, childList: true, characterData: true, attributes: true });
      check();
    })`) as number;
  }

  /** Settles when the terminal shows a text. */
  async untilShown(text: string): Promise<number> {
    return await this.until(
      `document.querySelector(".xterm-rows").textContent.includes(${JSON.stringify(text)})`,
    );
  }

  /** Waits for a state of the view, in the line above the terminal. */
  async untilState(text: string): Promise<void> {
    await this.until(`document.getElementById("state").textContent.includes(${JSON.stringify(text)})`);
  }

  /** Clicks into the terminal. */
  async focus(): Promise<void> {
    await this.click(60, 60);
    await this.untilState("What you type goes to the pane");
  }

  async click(x: number, y: number): Promise<void> {
    const at = { x, y, button: "left", clickCount: 1 };
    await this.page.send("Input.dispatchMouseEvent", { type: "mousePressed", ...at });
    await this.page.send("Input.dispatchMouseEvent", { type: "mouseReleased", ...at });
  }

  /** Presses a key as a keyboard would; a single character is typed. */
  async press(key: string, { modifiers = 0, keyCode = 0 } = {}): Promise<void> {
    const text = key.length === 1 && modifiers === 0 ? { text: key } : {};
    const event = { key, modifiers, windowsVirtualKeyCode: keyCode || key.toUpperCase().charCodeAt(0) };
    await this.page.send("Input.dispatchKeyEvent", { type: "keyDown", ...event, ...text });
    await this.page.send("Input.dispatchKeyEvent", { type: "keyUp", ...event });
  }

  /** Settles when the view waits for a change. */
  get waiting(): Promise<Wait> {
    return this.#waiting.promise;
  }

  #listen(client: TestClient): void {
    this.bridge.onsizechange = ({ height }) => void this.heights.push(height ?? 0);
    this.bridge.oncalltool = async (params, { signal }) => {
      if (this.refuses) throw new Error("Not allowed");
      this.calls.push(params);
      const answer = client.client.callTool(params, undefined, { signal });
      if (params.arguments?.seen) this.#waiting.resolve({ signal, over: Promise.allSettled([answer]) });
      return await answer as never;
    };
  }
}

function meta(policy: string): string {
  return `<meta http-equiv="Content-Security-Policy" content="${policy}">`;
}

/** Carries messages between the bridge and the page's frame. */
async function transportTo(page: Page): Promise<Transport> {
  await page.send("Runtime.addBinding", { name: "toHost" });
  await page.evaluate(`
    document.body.style.margin = 0;
    const frame = document.createElement("iframe");
    frame.sandbox = "allow-scripts";
    frame.style = "border: 0; width: 100vw; height: 100vh; display: block";
    addEventListener("message", ({ source, data }) => {
      if (source === frame.contentWindow) toHost(JSON.stringify(data));
    });
    globalThis.toView = (message) => frame.contentWindow.postMessage(message, "*");
    globalThis.show = (html) => { frame.srcdoc = html; document.body.append(frame); };
  `);
  const transport: Transport = {
    start: () => Promise.resolve(),
    send: async (message: Message) => void await page.evaluate(`toView(${JSON.stringify(message)})`),
    close: () => Promise.resolve(),
  };
  page.on("Runtime.bindingCalled", ({ payload }) => transport.onmessage?.(JSON.parse(String(payload))));
  return transport;
}
