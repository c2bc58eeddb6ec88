// Programs that can take keys while they work: their output comes first, and a question is still reported.
import { assertEquals } from "@std/assert";
import { Watching } from "../support/watching.ts";
import { World } from "../support/world.ts";

const js = (...lines: string[]) => `node -e "${lines.join(";")}"`;
const READY = "setTimeout(()=>console.log('ready'),2000)";
const SERVE = "require('http').createServer(()=>{}).listen(0,'127.0.0.1')";
const QUESTION =
  "require('readline').createInterface(process.stdin,process.stdout).question('Go on? ',()=>{})";

/** Ready after two seconds, and able to read keys from the start. */
const WORKING: Readonly<Record<string, string>> = {
  "a development server with keys": js("process.stdin.setRawMode(true).on('data',()=>{})", SERVE, READY),
  "a development server with a line to type": js("process.stdin.on('data',()=>{})", SERVE, READY),
  "a file watcher that starts a program": js(
    "process.stdin.on('data',()=>{})",
    "require('fs').watch('.',()=>{})",
    "require('child_process').spawn('sh',['-c','sleep 2; echo ready; sleep 60'],{stdio:'inherit'})",
  ),
  "a spinner that swallows keys": js(
    "process.stdin.setRawMode(true).on('data',()=>{})",
    "setInterval(()=>process.stdout.write('-'),120)",
    "setTimeout(()=>console.log(),1900)",
    READY,
  ),
  "a loop that gets stuck in a callback": js(
    "process.stdin.on('data',()=>{})",
    "setTimeout(()=>{for(const end=Date.now()+2000;Date.now()<end;);console.log('ready')},400)",
  ),
  "a loop that gets stuck in execSync": js(
    "process.stdin.on('data',()=>{})",
    "setTimeout(()=>{require('child_process').execSync('sleep 2');console.log('ready')},400)",
  ),
  "an asyncio loop that gets stuck in a callback": 'python3 -c "import asyncio, time\nasync def main():\n' +
    " asyncio.get_running_loop().add_reader(0, print)\n await asyncio.sleep(0.4)\n time.sleep(2)\n" +
    " print('ready')\n await asyncio.sleep(60)\nasyncio.run(main())\"",
  "a remote command": './ssh -c "import select, socket, time\nfar, near = socket.socketpair()\n' +
    "poll = select.poll()\npoll.register(0, 1)\npoll.register(near, 1)\npoll.poll(2000)\n" +
    "print('ready')\ntime.sleep(60)\"",
  "a program that asked before": js(
    "const io=require('readline').createInterface(process.stdin,process.stdout)",
    "process.stdin.push('yes\\n')",
    `io.question('Go on? ',()=>{io.close();setTimeout(()=>console.log('ready'),2000)})`,
  ),
};

/** Programs that wait for an answer, though not for that alone. */
const ASKING: Readonly<Record<string, [command: string, detail: string]>> = {
  "a question with a time limit": [
    js("setTimeout(()=>process.exit(),60000)", QUESTION),
    "node is waiting for a keypress",
  ],
  "a question of a server": [js(SERVE, QUESTION), "node is waiting for a keypress"],
  "a question while a timer ticks": [
    js("setInterval(()=>{},500)", QUESTION),
    "node is waiting for a keypress",
  ],
  "a line that a server takes": [
    js("process.stdin.on('data',()=>{})", SERVE),
    "node is waiting for a line of input",
  ],
};

function inThrees<T>(all: readonly T[]): T[][] {
  return Object.values(Object.groupBy(all.entries(), ([index]) => Math.floor(index / 3)))
    .map((some) => some!.map(([, each]) => each));
}

Deno.test("start-and-watch and programs that can read while they work", async (t) => {
  await using world = await World.create();
  const python = new Deno.Command("python3", { args: ["-c", "import sys; print(sys.executable)"] });
  const found = new TextDecoder().decode((await python.output()).stdout).trim();
  await Deno.symlink(found, `${world.folder}/ssh`);
  const client = await world.serve();
  const watching = new Watching(world, client);
  await watching.pane("exec sleep 1000");
  const start = async (command: string) =>
    await client.ok("start-and-watch", {
      command,
      pattern: "ready",
      triggers: "exit,error,user_input",
      startDirectory: world.folder,
      timeout: 20,
    });

  // They wait side by side, three at a time: alone each takes two or three seconds, and all at once two cores.
  for (const some of inThrees(Object.entries(WORKING))) {
    const results = some.map(([, command]) => start(command));
    for (const [at, [name]] of some.entries()) {
      await t.step(`${name}: it is ready when it says so`, async () => {
        const { event, detail, output } = await results[at];
        assertEquals(event, "pattern:ready", `${detail}\n${output}`);
      });
    }
  }
  for (const some of inThrees(Object.entries(ASKING))) {
    const results = some.map(([, [command]]) => start(command));
    for (const [at, [name, [, detail]]] of some.entries()) {
      await t.step(`${name}: it is said`, async () => {
        const { event, detail: said, output } = await results[at];
        assertEquals([event, said], ["user_input", detail], output);
      });
    }
  }
});
