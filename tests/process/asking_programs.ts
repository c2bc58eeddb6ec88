// Ways in which shells, tools and scripts ask, and work that continues with the terminal at hand.

import { ANY, js, type Program, py, sh } from "./program.ts";

const none = (name: string, rest: Partial<Program>): Program => ({
  name,
  kind: "none",
  evidence: /^(?!bash )/,
  ...rest,
});
const asks = (name: string, kind: Program["kind"], rest: Partial<Program>): Program => ({
  name,
  kind,
  evidence: ANY,
  ...rest,
});

const SHELL_QUESTIONS: readonly Program[] = [
  asks("bash select", "line", { argv: ["bash", "-c", "select x in a b; do :; done"] }),
  asks("bash read -e", "raw", { argv: ["bash", "-c", "read -e x"] }),
  asks("bash read -n1 -s", "raw", { argv: ["bash", "-c", "read -n1 -s x"] }),
  asks("bash read -t in a loop", "line", { argv: ["bash", "-c", "while :; do read -t 5 x; done"] }),
  asks("bash at a continuation prompt", "raw", { typed: "echo 'begun", shell: "bash" }),
  asks("bash itself", "line", { typed: "read x", shell: "bash" }),
  asks("a subshell of bash", "line", { typed: "(read x; true)" }),
  asks("a program in bash's own group", "line", {
    typed: "x=$(head -n1 /dev/tty)",
    evidence: / by head /,
    shell: "bash",
  }),
  asks("zsh read", "line", { argv: ["zsh", "-fc", "read x"] }),
  asks("zsh read -k1", "raw", { argv: ["zsh", "-fc", "read -k1 x"] }),
  asks("zsh read -s", "password", { argv: ["zsh", "-fc", "read -s x"] }),
  asks("zsh select", "line", { argv: ["zsh", "-fc", "select x in a b; do :; done"] }),
  asks("zsh itself, without its line editor", "line", {
    argv: ["zsh", "-f", "-o", "no_zle"],
    typed: "read -u0 -k1 x",
    shell: "zsh",
  }),
  asks("fish read", "raw", { argv: ["fish", "--no-config", "-c", "read x"] }),
  asks("dash read", "line", { argv: ["dash", "-c", "read x"] }),
  asks("mksh read", "line", { argv: ["mksh", "-c", "read x"] }),
];

const CONNECTION = [
  "import socket",
  "s = socket.create_server(('127.0.0.1', 0))",
  "a = socket.create_connection(s.getsockname())",
];

/** A program for which gpg-agent asks. */
const asksByAgent = (client: string): Program =>
  asks(`${client}'s pinentry, a child of the agent`, "raw", {
    argv: sh([
      `cp /bin/sleep ${client}`,
      "export t=$(tty)",
      `echo GETPIN >get-${client}`,
      `p=$(setsid -f sh -c 'echo $$; exec pinentry --ttyname $t <get-${client} >got-${client}')`,
      "trap 'kill $p $!; exit' HUP",
      `./${client} 500 &`,
      "wait",
    ].join("\n")),
    evidence: / by pinentry/,
  });

const TOOL_QUESTIONS: readonly Program[] = [
  asks("rm -i", "line", { argv: sh("touch z; rm -i z") }),
  asks("cp -i", "line", { argv: sh("touch z1 z2; cp -i z1 z2") }),
  asks("xargs -p", "line", { typed: "echo a | xargs -p echo" }),
  asks("a question beside an event descriptor", "line", {
    argv: py("import os", "os.eventfd(0)", "input('? ')"),
  }),
  asks("a question beside a local connection", "line", {
    argv: py("import socket", "a, b = socket.socketpair()", "input('? ')"),
    differsOnHost: true,
  }),
  asks("a question on /dev/tty beside a connection", "line", {
    argv: py(...CONNECTION, "open('/dev/tty').readline()"),
  }),
  asks("a question beside a connection", "line", { argv: py(...CONNECTION, "input('? ')"), guarded: "none" }),
  asks("timeout --foreground", "line", { argv: ["timeout", "--foreground", "500", "cat"] }),
  asks("an editor of a tool", "raw", { argv: sh("EDITOR='vim -u NONE'; $EDITOR note; true") }),
  asks("a pager of Python", "raw", { argv: py("import pydoc", "pydoc.pager('x\\n' * 500)") }),
  asks("Python's debugger", "raw", { argv: py("breakpoint()", "1") }),
  asks("Python's cmd", "raw", { argv: py("import cmd", "cmd.Cmd().cmdloop()") }),
  asks("Python reads lines", "line", { argv: py("import sys", "for line in sys.stdin: pass") }),
  asks("a child of asyncio reads", "line", {
    argv: py(
      "import asyncio",
      "async def m():",
      " await (await asyncio.create_subprocess_exec('cat')).wait()",
      "asyncio.run(m())",
    ),
  }),
  asks("perl select", "line", {
    argv: ["perl", "-e", "my $r='';vec($r,0,1)=1;select($r,undef,undef,undef)"],
  }),
  asksByAgent("gpg"),
  asksByAgent("ssh"),
  asks("node readSync", "line", { argv: js("require('fs').readSync(0,Buffer.alloc(9))") }),
  asks("node fs.read", "line", { argv: js("require('fs').read(0,Buffer.alloc(9),()=>{})") }),
  asks("node raw keys", "raw", { argv: js("process.stdin.setRawMode(true).on('data',()=>{})") }),
  asks("node execSync of a reader", "line", {
    argv: js("require('child_process').execSync('cat',{stdio:'inherit'})"),
  }),
];

const WORK: readonly Program[] = [
  none("yes | head", { typed: "yes | head -n 100000000000 >/dev/null" }),
  none("a loop that sleeps", { argv: sh("while :; do sleep 0.2; done"), evidence: /^sh / }),
  none("an answer over TCP", { argv: py(...CONNECTION, "a.recv(1)"), evidence: /^python3 .*recvfrom/ }),
  none("a Python server", {
    argv: ["python3", "-m", "http.server", "0", "--bind", "127.0.0.1"],
    evidence: /poll|select/,
  }),
  none("a pool of processes", {
    argv: py(
      "import multiprocessing, time",
      "with multiprocessing.Pool(4) as pool: pool.map(time.sleep, [500] * 4)",
    ),
    evidence: /^python3 /,
  }),
  none("a pool of threads", {
    argv: py(
      "import concurrent.futures, time",
      "with concurrent.futures.ThreadPoolExecutor(8) as pool: list(pool.map(time.sleep, [500] * 8))",
    ),
    evidence: /^python3 .*futex/,
  }),
  none("node waits for an answer", {
    argv: js(
      "const s=require('net').createServer(()=>{}).listen(0,'127.0.0.1',()=>require('http').get({port:s.address().port,host:'127.0.0.1'}))",
    ),
    evidence: /^node .*epoll/,
  }),
  none("a worker of node", {
    argv: js("new (require('worker_threads').Worker)('setInterval(()=>{},1e5)',{eval:true})"),
    evidence: /^node .*epoll/,
  }),
  none("a child of node works", {
    argv: js("require('child_process').spawn('sleep',['500'],{stdio:'inherit'})"),
    evidence: /^node .*epoll/,
  }),
  none("expect waits for a program", {
    argv: ["expect", "-c", "spawn sleep 500; expect eof"],
    evidence: /^expect /,
  }),
];

export const ASKING: readonly Program[] = [...SHELL_QUESTIONS, ...TOOL_QUESTIONS, ...WORK];
