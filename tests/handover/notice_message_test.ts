// The notice to people on a tmux that does not show or remove it at once.
import { assertEquals } from "@std/assert";
import type { Person } from "../../src/tmux/objects/people.ts";
import type { Tmux } from "../../src/tmux/tmux.ts";
import type { Command } from "../../src/tmux_exec/exec.ts";
import { Notice } from "../../src/handover/notice.ts";
import { AppError } from "../../src/errors.ts";
import { delay } from "../../src/timer.ts";
import { HurriedClock } from "../support/hurried_clock.ts";
import { until } from "../support/until.ts";

/** A tmux before 3.6 with one person, which fails to show the first message. */
class SlowTmux {
  readonly sent: string[] = [];
  readonly person: Person = {
    ...{ pid: 1, control: false, readOnly: false, sessionId: "$0", name: "client", tty: "/dev/pts/0" },
    ...{ terminal: "xterm", version: "3.5" },
  };
  readonly ownClients = () => new Set<number>();
  readonly rows = {
    list: (_: unknown, [name]: Command) => Promise.resolve(name === "list-clients" ? [this.person] : []),
  };
  readonly rung: string[] = [];
  readonly machine = {
    writeTerminal: (tty: string) => Promise.resolve(void this.rung.push(tty)),
  };

  get unbound(): this {
    return this;
  }

  outlivingCall(): this {
    return this;
  }

  run(commands: readonly Command[]): Promise<string> {
    this.sent.push(...commands.map(([name]) => name!));
    return this.shown === 1 && commands[0]![0] === "display-message"
      ? Promise.reject(new Error("No answer from tmux in 5000 ms"))
      : Promise.resolve("");
  }

  runEach(commands: readonly Command[]): Promise<void> {
    this.sent.push(...commands.map(([name]) => name!));
    return Promise.resolve();
  }

  get shown(): number {
    return this.sent.filter((name) => name === "display-message").length;
  }
}

Deno.test("a message that tmux did not show is shown at the next refresh, and notified of once", async () => {
  const tmux = new SlowTmux();
  const notice = noticeOn(tmux);
  await notice.show([tmux.person]);
  assertEquals(tmux.shown, 1);
  await until(() => tmux.shown === 2);
  await notice.end();
  assertEquals(tmux.rung.toSorted(), ["/dev/pts/0", "/dev/pts/1"]);
  // The last one removes the message.
  assertEquals(tmux.shown, 3);
});

/** A tmux that does not answer the first attempts to remove a notice. */
class SilentTmux extends SlowTmux {
  silent = 2;

  override runEach(commands: readonly Command[]): Promise<void> {
    if (this.silent-- > 0) return Promise.reject(new AppError("timeout", "tmux does not answer"));
    return super.runEach(commands);
  }
}

function noticeOn(tmux: SlowTmux): Notice {
  const place = { paneId: "%0", windowId: "@0", tty: "/dev/pts/1" };
  return new Notice({
    ...{ tmux: tmux as unknown as Tmux, place, sessionIds: ["$0"], text: "waits", notify: "osc9" },
  });
}

Deno.test("a notice is removed once tmux answers again", async () => {
  using clock = new HurriedClock();
  const tmux = new SilentTmux();
  await noticeOn(tmux).end();
  assertEquals(tmux.sent, []);
  await until(() => tmux.sent.length > 0);
  assertEquals(tmux.sent, ["set-option", "set-option", "set-option"]);
  assertEquals(clock.asked.filter((ms) => ms >= 1000), [1000, 2000]);
});

Deno.test("a notice that tmux did not remove leaves the next one of its pane alone", async () => {
  using _ = new HurriedClock();
  const tmux = new SilentTmux();
  const notice = noticeOn(tmux);
  await notice.end();
  notice.supersede();
  await delay(0);
  assertEquals([tmux.silent, tmux.sent], [1, []]);
});
