// Programs that wait in ways that are hard to see: event loops, many threads, and processes whose parent has ended.

import { ANY, EPOLL, js, type Program, py, READ, sh } from "./program.ts";

const QUESTION = "const io=require('readline').createInterface(process.stdin,process.stdout);";
const WORKS_ON = "setInterval(()=>{},1e5)";

/** libuv leaves a terminal that it stopped reading in its epoll set. */
const LIBUV: readonly Program[] = [
  {
    name: "node that asked once and works on",
    argv: js(`${QUESTION}io.question('? ',()=>{io.close();${WORKS_ON}})`),
    then: "Enter",
    kind: "none",
    guarded: "line",
    evidence: /^node .*epoll/,
  },
  {
    name: "node that asked once and works on in raw mode",
    argv: js(`process.stdin.setRawMode(true).once('data',()=>{process.stdin.pause();${WORKS_ON}})`),
    then: "Enter",
    kind: "none",
    guarded: "raw",
    evidence: /^node .*epoll/,
  },
  {
    name: "node that read a line and paused",
    argv: js(`process.stdin.once('data',()=>{process.stdin.pause();${WORKS_ON}})`),
    then: "Enter",
    kind: "none",
    guarded: "line",
    evidence: /^node .*epoll/,
  },
  {
    name: "node that serves once it has asked",
    argv: js(
      `${QUESTION}io.question('? ',()=>{io.close();require('http').createServer(()=>{}).listen(0,'127.0.0.1')})`,
    ),
    then: "Enter",
    kind: "none",
    guarded: "line",
    evidence: /^node .*epoll/,
  },
  {
    name: "node that asks a second time",
    argv: js(`${QUESTION}io.question('? ',()=>io.question('again? ',()=>{}))`),
    then: "Enter",
    kind: "raw",
    evidence: EPOLL,
  },
  {
    name: "node that asks again after a pause",
    argv: js(
      `${QUESTION}io.question('? ',()=>{io.pause();setTimeout(()=>io.question('again? ',()=>{}),200)})`,
    ),
    then: "Enter",
    kind: "raw",
    evidence: EPOLL,
  },
  {
    name: "node that no longer counts on its terminal",
    argv: js(`process.stdin.on('data',()=>{}).unref();${WORKS_ON}`),
    kind: "none",
    guarded: "line",
    evidence: /^node .*epoll/,
  },
  {
    name: "node that reads while its child works",
    argv: js("process.stdin.on('data',()=>{});require('child_process').spawn('sleep',['500'])"),
    kind: "line",
    evidence: /^epoll on .*, beside other events$/,
  },
  {
    name: "node that reads while it waits for a timer",
    argv: js(`process.stdin.on('data',()=>{});${WORKS_ON}`),
    kind: "line",
    evidence: /^epoll on .*, beside other events$/,
  },
  {
    name: "node blocked in execSync with a listener",
    guarded: "line",
    argv: js(
      "process.stdin.on('data',()=>{});setTimeout(()=>require('child_process').execSync('sleep 500'),200)",
    ),
    kind: "none",
    evidence: /^node .*epoll/,
  },
  {
    name: "node blocked in a callback with a listener",
    // Nobody may know there which of its threads waits for which of its epoll sets.
    guarded: "line",
    argv: js(
      "process.stdin.on('data',()=>{});setTimeout(()=>Atomics.wait(new Int32Array(new SharedArrayBuffer(4)),0,0),200)",
    ),
    kind: "none",
    evidence: /^node .*futex/,
  },
  {
    name: "node that takes keys while its worker computes",
    argv: js(
      "process.stdin.setRawMode(true).on('data',()=>{});new (require('worker_threads').Worker)('for(;;);',{eval:true})",
    ),
    kind: "raw",
    evidence: /^epoll.*, beside a thread at work$/,
    guarded: "raw",
  },
  {
    name: "asyncio blocked in a callback with a reader",
    argv: py(
      "import asyncio, time",
      "async def m():",
      " asyncio.get_running_loop().add_reader(0, print)",
      " await asyncio.sleep(0)",
      " time.sleep(500)",
      "asyncio.run(m())",
    ),
    kind: "none",
    evidence: /^python3 .*(nanosleep|select)/,
  },
  {
    name: "asyncio whose reader was taken away",
    argv: py(
      "import asyncio, sys",
      "async def m():",
      " loop = asyncio.get_running_loop()",
      " loop.add_reader(0, lambda: (sys.stdin.readline(), loop.remove_reader(0)))",
      " await asyncio.sleep(500)",
      "asyncio.run(m())",
    ),
    then: "Enter",
    kind: "none",
    evidence: /^python3 .*epoll/,
    guarded: "none",
  },
];

const URGENT: readonly Program[] = [
  {
    name: "a thread takes keys while a child works",
    argv: py(
      "import os,subprocess,threading,tty",
      "tty.setraw(0)",
      "threading.Thread(target=lambda: os.read(0,1)).start()",
      "subprocess.run(['sleep','500'])",
    ),
    kind: "raw",
    evidence: /^read\(0\) on .*, in a thread of its own, beside other events$/,
  },
  {
    name: "a thread takes a line while a child works",
    argv: py(
      "import os,subprocess,threading",
      "threading.Thread(target=lambda: os.read(0,99)).start()",
      "subprocess.run(['sleep','500'])",
    ),
    kind: "line",
    evidence: /^read\(0\) on .*, in a thread of its own$/,
  },
  {
    name: "a signal announces keys",
    argv: py(
      "import fcntl,os,signal,termios,tty",
      "signal.signal(signal.SIGIO,lambda *_: None)",
      "tty.setraw(0)",
      "keys=os.open('/dev/tty',os.O_RDONLY)",
      "fcntl.fcntl(keys,fcntl.F_SETOWN,os.getpid())",
      "fcntl.fcntl(keys,fcntl.F_SETFL,os.O_ASYNC|os.O_NONBLOCK)",
      "while True: signal.pause()",
    ),
    kind: "raw",
    guarded: "none",
    evidence: /^SIGIO\(3\) on .*, beside other events$/,
  },
  {
    name: "poll for urgent data only",
    argv: py("import select", "p = select.poll()", "p.register(0, select.POLLPRI)", "p.poll()"),
    kind: "none",
    guarded: "line",
    evidence: /^python3 .*poll/,
  },
  {
    name: "epoll for urgent data only",
    argv: py("import select", "p = select.epoll()", "p.register(0, select.EPOLLPRI)", "p.poll()"),
    kind: "none",
    evidence: /^python3 .*epoll/,
  },
  {
    name: "select for exceptions only",
    argv: py("import select", "select.select([], [], [0])"),
    kind: "none",
    guarded: "line",
    evidence: /^python3 .*select/,
  },
];

/** Ends the thread that calls it, as C's `pthread_exit` does, and no other. */
const END_THREAD = `ctypes.CDLL(None).syscall(${Deno.build.arch === "x86_64" ? 60 : 93}, 0)`;

const THREADS: readonly Program[] = [
  {
    name: "the last of 400 threads reads",
    argv: py(
      "import sys, threading",
      "threading.stack_size(65536)",
      "for _ in range(399): threading.Thread(target=threading.Event().wait).start()",
      "threading.Thread(target=sys.stdin.readline).start()",
    ),
    kind: "line",
    evidence: READ,
  },
  {
    name: "400 threads that only wait",
    argv: py(
      "import threading",
      "threading.stack_size(65536)",
      "for _ in range(400): threading.Thread(target=threading.Event().wait).start()",
    ),
    kind: "none",
    evidence: /^python3 .*futex/,
  },
  {
    name: "the first thread has ended and another reads",
    argv: py(
      "import ctypes, os, threading",
      "threading.Thread(target=os.read, args=(0, 1)).start()",
      END_THREAD,
    ),
    kind: "line",
    evidence: READ,
    cmd: "python3",
  },
  {
    name: "the first thread has ended and another polls",
    argv: py(
      "import ctypes, select, threading",
      "threading.Thread(target=lambda: select.select([0], [], [])).start()",
      END_THREAD,
    ),
    kind: "line",
    evidence: ANY,
  },
  {
    name: "the first thread has ended and another sleeps",
    argv: py(
      "import ctypes, threading, time",
      "threading.Thread(target=time.sleep, args=(500,)).start()",
      END_THREAD,
    ),
    kind: "none",
    evidence: /^python3 .*(nanosleep|select)/,
  },
];

const ORPHANS: readonly Program[] = [
  {
    name: "a reader whose parent has ended",
    argv: sh("(cat <&3 &) 3<&0; sleep 500; true"),
    kind: "line",
    evidence: /by cat/,
    cmd: "sh",
  },
  {
    name: "a reader whose parent has ended, with a pid less than its group's",
    // Root makes the kernel start with small pids again, as it does by itself after the greatest one.
    argv: sh(
      "{ echo 300 >/proc/sys/kernel/ns_last_pid; } 2>/dev/null; (cat <&3 &) 3<&0; sleep 500; true",
    ),
    kind: "line",
    evidence: /by cat/,
    cmd: "sh",
  },
  {
    name: "a reader whose parents have ended, in a job",
    typed: "sh -c '(sh -c \"cat; true\" <&3 &) 3<&0; sleep 500; true'",
    kind: "line",
    evidence: /by cat/,
    cmd: "sh",
  },
  {
    name: "a sleeper whose parent has ended",
    argv: sh("(sleep 500 <&3 &) 3<&0; sleep 500; true"),
    kind: "none",
    evidence: /^sh .*wait/,
  },
];

const CONTINUED: readonly Program[] = [
  {
    name: "sleep, stopped and continued",
    argv: py(
      "import os, subprocess, time",
      "c = subprocess.Popen(['sleep', '500'])",
      "time.sleep(0.3)",
      "c.send_signal(19)",
      "os.waitpid(c.pid, os.WUNTRACED)",
      "c.send_signal(18)",
      "c.wait()",
    ),
    kind: "none",
    evidence: /^python3 .*wait4/,
  },
  {
    name: "a futex with a timeout, stopped and continued",
    argv: py(
      "import os, subprocess, sys, time",
      "wait = 'import threading; print(flush=True); threading.Event().wait(500)'",
      "c = subprocess.Popen([sys.executable, '-c', wait], stdout=subprocess.PIPE)",
      "c.stdout.readline()",
      "time.sleep(0.3)",
      "c.send_signal(19)",
      "os.waitpid(c.pid, os.WUNTRACED)",
      "c.send_signal(18)",
      "c.wait()",
    ),
    kind: "none",
    evidence: /^python3 .*wait4/,
  },
];

export const EVENT_LOOPS: readonly Program[] = [
  ...LIBUV,
  ...URGENT,
  ...THREADS,
  ...ORPHANS,
  ...CONTINUED,
];
