// Every program of the truth table, run by execute-command: those that ask are `waiting`, the others `running`.
import { assertEquals } from "@std/assert";
import { shellWord } from "../../src/shell/quoting.ts";
import { NOBODY } from "../process/panes.ts";
import type { Program } from "../process/program.ts";
import { PROGRAMS } from "../process/programs.ts";
import { type TestClient, World } from "../support/world.ts";

const LANES = 4;
/** A program that can ask while it works counts as asking after three idle seconds; a REPL takes a while to start. */
const ASKING_SECONDS = 20;
const WORKING_SECONDS = 2;

/** Rows about the shell itself, which asks for no command of its own. */
const NO_COMMANDS = new Set(["a hook's child in the shell's group", "bash at a continuation prompt"]);

/** The line a person would type for a program; undefined for one that needs a key before it is where it should be. */
function lineOf({ name, argv, typed, then }: Program): string | undefined {
  if (then !== undefined || NO_COMMANDS.has(name)) return undefined;
  return typed ?? argv!.map(shellWord).join(" ");
}

async function statusOf(client: TestClient, shell: string, program: Program): Promise<[string, string?]> {
  const { paneId, sessionId } = await client.ok("create-session", { command: shell, width: 120, height: 40 });
  const timeout = program.kind === "none" ? WORKING_SECONDS : ASKING_SECONDS;
  const answer = await client.call("execute-command", { paneId, command: lineOf(program), timeout });
  const { status, waiting } = answer.structuredContent ?? {};
  await client.ok("kill-session", { sessionId });
  return [status ?? answer.content[0]?.text, waiting?.inputKind];
}

for (const uid of Deno.uid() === 0 ? [0, NOBODY] : [Deno.uid() ?? 0]) {
  const programs = PROGRAMS.filter(({ user }) => user === undefined || (user === "root") === (uid === 0))
    .filter((program) => lineOf(program) !== undefined);
  Deno.test(`execute-command knows which of ${programs.length} programs of user ${uid} ask`, async () => {
    await using world = await World.create();
    await Deno.chown(world.folder, uid, uid);
    const client = await world.serve();
    const shell = uid === Deno.uid()
      ? "bash --norc"
      : `setpriv --reuid=${uid} --regid=${uid} --clear-groups bash --norc`;
    const wrong: string[] = [];
    const queue = [...programs];
    const lane = async (): Promise<void> => {
      for (let program = queue.shift(); program; program = queue.shift()) {
        const [status, kind] = await statusOf(client, shell, program);
        const isRight = program.kind === "none"
          ? status !== "waiting"
          : status === "waiting" && kind === program.kind;
        if (!isRight) wrong.push(`${program.name}: ${status} ${kind ?? ""}, ${program.kind} in the table`);
      }
    };
    await client.ok("create-session", { name: "keep", command: "cat" });
    await Promise.all(Array.from({ length: LANES }, lane));
    assertEquals(wrong, []);
  });
}
