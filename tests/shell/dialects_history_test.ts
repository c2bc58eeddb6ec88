import { assertEquals } from "@std/assert";
import { shell, startPane } from "./shells.ts";

interface Habit {
  name: string;
  setup: string;
  /** Writes the history to $HOME/history. */
  dump: string;
  /** The constant line that a shell can't be kept from remembering, once for each run. */
  residue?: boolean;
  /** fish before 4 has no way to enter a line. */
  keeps?: boolean;
}

const HABITS: Habit[] = [
  { name: "bash", setup: "true", dump: "history -w $HOME/history" },
  { name: "bash", setup: "HISTCONTROL=ignoreboth", dump: "history -w $HOME/history" },
  {
    name: "bash",
    setup: "HISTCONTROL=erasedups; shopt -s histappend; PROMPT_COMMAND='history -a'",
    dump: "cp $HOME/.bash_history $HOME/history",
  },
  { name: "zsh", setup: "setopt hist_ignore_space", dump: "fc -ln 1 > $HOME/history" },
  { name: "zsh", setup: "true", dump: "fc -ln 1 > $HOME/history", residue: true },
  { name: "fish", setup: "true", dump: "history save; history | cat > $HOME/history", keeps: false },
  { name: "ksh", setup: "HISTFILE=$HOME/ksh", dump: "fc -ln 1 > $HOME/history", residue: true },
  { name: "mksh", setup: "true", dump: "fc -ln 1 > $HOME/history" },
];

async function untilThere(path: string): Promise<void> {
  for (let tries = 0; tries < 500; tries++) {
    if (await Deno.stat(path).then(() => true, () => false)) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`${path} was never made`);
}

for (const { name, setup, dump, residue = false, keeps = true } of HABITS) {
  Deno.test(`${name} after ${setup} remembers no command but the one it should`, async () => {
    const { dialect, ...rest } = shell(name);
    await using pane = await startPane({ dialect, ...rest });
    for (const typed of [setup, "echo typed"]) {
      await pane.type(typed);
      await pane.idle();
    }
    await pane.run(dialect, "echo unremembered one");
    await pane.run(dialect, "echo kept; \\\n true", { keepHistory: true });
    await pane.run(dialect, "echo unremembered two");
    await pane.idle();
    await pane.type(`${dump}; echo > $HOME/dumped`);
    await untilThere(`${pane.dir}/dumped`);
    const history = await Deno.readTextFile(`${pane.dir}/history`);
    assertEquals(/unremembered|[0-9a-f]{32}/.test(history), false, history);
    assertEquals(/echo kept; \\+n?\s*true/.test(history), keeps, history);
    assertEquals(history.split("133;R;").length - 1, residue ? 3 : 0, history);
  });
}
