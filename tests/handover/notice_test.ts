// Options of panes that were handed over, as another server finds them.
import { assertEquals } from "@std/assert";
import { completeOptions } from "../../src/config.ts";
import { Engine } from "../../src/engine.ts";
import type { Command } from "../../src/tmux_exec/exec.ts";
import { handOver, WAITING } from "../../src/tmux/typing/handed_over_panes.ts";
import type { Tmux } from "../../src/tmux/tmux.ts";
import { clearAbandoned, Notice } from "../../src/handover/notice.ts";
import { type PrivateTmux, privateTmux } from "../tmux/private_tmux.ts";

const PAST = Math.floor(Date.now() / 1000) - 100_000;

/** Ids of the panes that are cleared, of those that these options were found on. */
async function cleared(handovers: Record<string, string>): Promise<string[]> {
  const panes = Object.entries(handovers).map(([paneId, handover]) => ({ paneId, windowId: "@1", handover }));
  const found: string[] = [];
  const tmux = {
    rows: { list: (_: unknown, [, flag]: Command) => Promise.resolve(flag === "-a" ? panes : []) },
    runEach: ([[, , , paneId = ""] = []]: Command[]) => Promise.resolve(found.push(paneId)),
  } as unknown as Tmux;
  await clearAbandoned(tmux, {
    isDead: (stamp) => stamp === "dead",
    isElsewhere: (stamp) => stamp === "elsewhere" || stamp === "",
    visible: () => Promise.resolve(undefined),
  });
  return found;
}

Deno.test("a pane that a live server has handed over stays so, though the clock says that it has lapsed", async () => {
  const handovers = {
    "%1": `${PAST} live`,
    "%2": `${PAST} elsewhere`,
    "%3": `${PAST}`,
    "%4": `${PAST} dead`,
  };
  assertEquals(await cleared(handovers), ["%2", "%3", "%4"]);
});

Deno.test("a pane whose server can't be checked stays handed over until that lapses", async () => {
  const later = Math.ceil(Date.now() / 1000) + 1000;
  assertEquals(await cleared({ "%1": `${later} elsewhere`, "%2": `${later} dead`, "%3": "" }), ["%2"]);
});

/** The only pane of a tmux, where another server asks about it too. */
class SharedPane implements AsyncDisposable {
  readonly paneId: string = "%0";
  readonly tmux: Tmux;
  readonly #engine: Engine;

  constructor({ target: { env }, socketPath: socket }: PrivateTmux) {
    this.#engine = new Engine({ options: completeOptions({}), env });
    this.tmux = this.#engine.connect({ socket });
  }

  async notice(): Promise<Notice> {
    const tty = (await this.tmux.run([["display-message", "-p", "-t", this.paneId, "#{pane_tty}"]])).trim();
    const place = { paneId: this.paneId, windowId: "@0", tty };
    const notice = new Notice({ tmux: this.tmux, place, sessionIds: ["$0"], text: "ours", notify: "off" });
    await notice.show([]);
    return notice;
  }

  async handOverToOther(): Promise<void> {
    const { paneId } = this;
    await this.tmux.run([
      ["set-option", "-p", "-t", paneId, WAITING, "other"],
      handOver(paneId, { seconds: 1000, processStamp: "1 1 other" }),
    ]);
  }

  /** Options of the pane and of its window, without the time until which the pane is handed over. */
  async options(): Promise<string[]> {
    const options = [["-p", WAITING], ["-w", WAITING], ["-p", "@tmux_mcp_handover"]] as const;
    const shown = await Promise.all(
      options.map(([kind, name]) => this.tmux.run([["show-options", "-qv", kind, "-t", this.paneId, name]])),
    );
    return shown.map((text) => text.trim().replace(/^\d+ /, ""));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#engine.close();
  }
}

Deno.test("a notice that is removed late leaves what another server has set since", async () => {
  await using server = await privateTmux();
  await using pane = new SharedPane(server);
  const notice = await pane.notice();
  await pane.handOverToOther();
  assertEquals(await notice.end(), true);
  assertEquals(await pane.options(), ["other", "other", "1 1 other"]);
  const again = await pane.notice();
  await again.end();
  assertEquals(await pane.options(), ["", "", ""]);
});

Deno.test("an abandoned pane that another server takes meanwhile stays handed over", async () => {
  await using server = await privateTmux();
  await using pane = new SharedPane(server);
  const { tmux } = pane;
  const asDead = { isDead: (stamp: string) => stamp === "1 1 dead", isElsewhere: () => false };
  const abandon = () => tmux.run([handOver(pane.paneId, { seconds: 1000, processStamp: "1 1 dead" })]);
  await abandon();
  const visible = () => pane.handOverToOther().then(() => undefined);
  await clearAbandoned(tmux, { ...asDead, visible });
  assertEquals(await pane.options(), ["other", "other", "1 1 other"]);
  await abandon();
  await clearAbandoned(tmux, { ...asDead, visible: () => Promise.resolve(undefined) });
  assertEquals(await pane.options(), ["", "", ""]);
});
