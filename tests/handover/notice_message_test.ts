// The notice to people on a tmux that does not show it at once.
import { assertEquals } from "@std/assert";
import type { Person } from "../../src/tmux/objects/people.ts";
import type { Tmux } from "../../src/tmux/tmux.ts";
import type { Command } from "../../src/tmux_exec/exec.ts";
import { Notice } from "../../src/handover/notice.ts";
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
  const place = { paneId: "%0", windowId: "@0", tty: "/dev/pts/1" };
  const notice = new Notice({
    ...{ tmux: tmux as unknown as Tmux, place, sessionIds: ["$0"], text: "waits", notify: "osc9" },
  });
  await notice.show([tmux.person]);
  assertEquals(tmux.shown, 1);
  await until(() => tmux.shown === 2);
  await notice.end();
  assertEquals(tmux.rung.toSorted(), ["/dev/pts/0", "/dev/pts/1"]);
  // The last one removes the message.
  assertEquals(tmux.shown, 3);
});
