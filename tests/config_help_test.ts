// The help lists every option and command, and its examples are accepted.
import { assert, assertEquals, assertRejects } from "@std/assert";
import { ConfigError, configSchema, ENVIRONMENT_NAMES, helpText } from "../src/config.ts";
import { COMMAND_NAMES, commandRow } from "../src/config/commands.ts";
import { environmentNameOf } from "../src/config/option_row.ts";
import { ROWS } from "../src/config/table.ts";
import { load } from "./support/config_input.ts";

Deno.test("help and version come before any mistake and read no file", async () => {
  const readFile = (): string => {
    throw new Error("read");
  };
  const env = { HOME: "/home/me" };
  assertEquals((await load({ argv: ["--help", "--nonsense"], readFile, env })).command, { kind: "help" });
  for (const word of ["--version", "-v", "-V", "version"]) {
    assertEquals((await load({ argv: [word], readFile, env })).command, { kind: "version" }, word);
  }
  const topic = await load({ argv: ["watch", "--nonsense", "-h"], readFile, env });
  assertEquals(topic.command, { kind: "help", topic: "watch" });
  const misspelt = () => load({ argv: ["completion", "--help"], readFile, env });
  await assertRejects(misspelt, ConfigError, 'Unknown command "completion"; did you mean completions?');
});

Deno.test("help, variables and schema list every option of the table", () => {
  const help = helpText();
  const schema = JSON.stringify(configSchema());
  for (const [, row] of ROWS) {
    assert(help.includes(`[${row.key}]`), row.key);
    assert(ENVIRONMENT_NAMES.includes(environmentNameOf(row)), row.name);
    assert(schema.includes(`(${environmentNameOf(row)})`), row.key);
  }
});

Deno.test("help names every command, and each command's page its own flags, values, exit codes and examples", () => {
  for (const name of COMMAND_NAMES) {
    const { summary, flags, argument, exits, examples } = commandRow(name);
    assert(helpText().includes(summary), name);
    const page = helpText(name);
    const said = [
      ...Object.keys(flags).map((flag) => `  --${flag}`),
      ...argument?.values ?? [],
      ...exits,
      ...examples,
    ];
    for (const text of said) assert(page.includes(text), `${name}: ${text}`);
    assert([...page.split("\n"), ...helpText().split("\n")].every((line) => line.length <= 110), name);
  }
});

Deno.test("every example of the help is a command line that is taken", async () => {
  const ofProgram = helpText().split("EXAMPLES\n")[1]!.trim().split("\n");
  const examples = [...ofProgram, ...COMMAND_NAMES.flatMap((name) => commandRow(name).examples)];
  assert(examples.length >= 12);
  for (const example of examples) {
    const [, line] = /tmux-mcp (.*?)(?:\)'| ?>| && |$)/.exec(example)!;
    const argv = [...line!.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain!);
    assertEquals([example, (await load({ argv })).command.kind === "help"], [example, false]);
  }
});
