// Real programs and what the kernel can tell about each when it has come to rest.

import type { InputKind } from "../../src/process/probe.ts";

export interface Program {
  readonly name: string;
  /** Run without a shell around it. */
  readonly argv?: readonly string[];
  /** Or typed into an interactive bash. */
  readonly typed?: string;
  /** A key pressed once the program rests. */
  readonly then?: string;
  readonly kind: InputKind;
  /** What the evidence must match: for `none` it shows that the program is where it should be. */
  readonly evidence: RegExp;
  /** What is said where Yama hides system calls, if that is something else. */
  readonly guarded?: InputKind;
  /** Only where the pane is root's, or only where it is somebody else's. */
  readonly user?: "root" | "other";
  readonly cmd?: string;
  readonly shell?: string;
}

const sh = (command: string): readonly string[] => ["sh", "-c", command];
const py = (...lines: string[]): readonly string[] => ["python3", "-c", lines.join("\n")];
const su = (command: string, ...options: string[]): readonly string[] => [
  "su",
  "nobody",
  "-s",
  "/bin/sh",
  ...options,
  "-c",
  command,
];
const js = (code: string): readonly string[] => ["node", "-e", code];

const READ = /^read\(\d+\) on \/dev\/pts/;
const SELECT = /^p?select6? on \/dev\/pts/;
const POLL = /^p?poll on \/dev\/pts/;
const EPOLL = /^epoll on \/dev\/pts/;
const ANY = /on \/dev\/pts/;

const SHELLS: readonly Program[] = [
  {
    name: "bash",
    argv: ["bash", "--norc", "--noprofile"],
    kind: "raw",
    evidence: SELECT,
    shell: "bash",
    cmd: "bash",
  },
  {
    name: "login bash",
    argv: ["bash", "-c", "exec -a -bash bash"],
    kind: "raw",
    evidence: SELECT,
    shell: "bash",
  },
  {
    name: "bash without editing",
    argv: ["bash", "--norc", "--noediting"],
    kind: "line",
    evidence: READ,
    shell: "bash",
  },
  { name: "bash -c is no shell", argv: ["bash", "-c", "read x"], kind: "line", evidence: READ },
  { name: "zsh", argv: ["zsh", "-f"], kind: "raw", evidence: ANY, shell: "zsh" },
  { name: "fish", argv: ["fish", "--no-config"], kind: "raw", evidence: ANY, shell: "fish" },
  { name: "dash", argv: ["dash", "-i"], kind: "line", evidence: READ, shell: "dash" },
  { name: "sh", argv: ["sh"], kind: "line", evidence: READ, shell: "dash" },
  { name: "ksh", argv: ["ksh"], kind: "raw", evidence: ANY, shell: "ksh" },
  { name: "mksh", argv: ["mksh"], kind: "raw", evidence: ANY, shell: "mksh" },
  { name: "busybox ash", argv: ["busybox", "ash"], kind: "raw", evidence: ANY, shell: "ash" },
  { name: "tcsh", argv: ["tcsh", "-f"], kind: "raw", evidence: READ, shell: "tcsh" },
  { name: "elvish", argv: ["elvish"], kind: "raw", evidence: ANY, shell: "elvish" },
  { name: "xonsh", argv: ["xonsh", "--no-rc"], kind: "raw", evidence: ANY, shell: "xonsh" },
  { name: "bash in bash", typed: "bash --norc", kind: "raw", evidence: SELECT, shell: "bash" },
];

const REPLS: readonly Program[] = [
  { name: "python3", argv: ["python3", "-q"], kind: "raw", evidence: SELECT },
  { name: "python3 input()", argv: py("input('name? ')"), kind: "line", evidence: READ },
  {
    name: "python3 getpass",
    argv: py("import getpass; getpass.getpass()"),
    kind: "password",
    evidence: READ,
  },
  { name: "node", argv: ["node"], kind: "raw", evidence: EPOLL },
  { name: "sqlite3", argv: ["sqlite3"], kind: "raw", evidence: ANY },
  { name: "bc", argv: ["bc", "-q"], kind: "raw", evidence: ANY },
  { name: "gdb", argv: ["gdb", "-q", "-nx"], kind: "raw", evidence: POLL },
  { name: "perl", argv: ["perl", "-e", "<STDIN>"], kind: "line", evidence: READ },
  { name: "ed", argv: ["ed"], kind: "line", evidence: READ },
  { name: "rlwrap", argv: ["rlwrap", "cat"], kind: "raw", evidence: SELECT },
];

const SCREENS: readonly Program[] = [
  { name: "vim", argv: ["vim", "-u", "NONE"], kind: "raw", evidence: ANY },
  { name: "nano", argv: ["nano"], kind: "raw", evidence: READ },
  { name: "less", argv: ["less", "/etc/services"], kind: "raw", evidence: READ },
  { name: "less in a pipe", typed: "seq 1000 | less", kind: "raw", evidence: /^read\(3\) on/, cmd: "less" },
  { name: "more", argv: ["more", "/etc/services"], kind: "raw", evidence: ANY },
  { name: "man", argv: ["man", "-P", "less", "tmux"], kind: "raw", evidence: /by (less|pager)/ },
  { name: "top", argv: ["top"], kind: "raw", evidence: SELECT },
  { name: "htop", argv: ["htop"], kind: "raw", evidence: POLL },
  { name: "dialog", argv: ["dialog", "--yesno", "Go on?", "8", "40"], kind: "raw", evidence: ANY },
  { name: "whiptail", argv: ["whiptail", "--yesno", "Go on?", "8", "40"], kind: "raw", evidence: ANY },
  { name: "fzf", typed: "seq 5 | fzf", kind: "raw", evidence: ANY },
];

const PLAIN: readonly Program[] = [
  { name: "cat", argv: ["cat"], kind: "line", evidence: READ, cmd: "cat" },
  { name: "cat /dev/tty", argv: ["cat", "/dev/tty"], kind: "line", evidence: /^read\(3\)/ },
  { name: "tee", argv: ["tee", "/dev/null"], kind: "line", evidence: READ },
  { name: "head", argv: ["head", "-n3"], kind: "line", evidence: READ },
  { name: "dd", argv: ["dd", "status=none"], kind: "line", evidence: READ },
  { name: "sort", argv: ["sort"], kind: "line", evidence: READ },
  { name: "sh read", argv: sh("read answer; echo $answer"), kind: "line", evidence: READ },
  { name: "read -s", argv: ["bash", "-c", "read -s secret"], kind: "password", evidence: READ },
  { name: "read -n1", argv: ["bash", "-c", "read -n1 key"], kind: "raw", evidence: READ },
  { name: "read -t", argv: ["bash", "-c", "read -t 500 answer"], kind: "line", evidence: ANY },
  { name: "read -s at a prompt", typed: "read -s secret", kind: "password", evidence: READ, shell: "bash" },
  { name: "cat before a sleeper", argv: sh("cat | sleep 500"), kind: "line", evidence: /by cat/ },
  {
    name: "timeout from a prompt",
    typed: "timeout 500 cat",
    kind: "line",
    evidence: /by cat/,
    cmd: "timeout",
  },
  { name: "setsid -w", typed: "setsid -w cat", kind: "line", evidence: ANY },
  { name: "ssh-keygen", argv: ["ssh-keygen", "-q", "-f", "key"], kind: "password", evidence: READ },
  { name: "openssl", argv: ["openssl", "passwd", "-6"], kind: "password", evidence: READ },
];

const NOT_WAITING: readonly Program[] = [
  { name: "sleep", argv: ["sleep", "500"], kind: "none", evidence: /^sleep .*nanosleep/, cmd: "sleep" },
  {
    name: "sleep from a prompt",
    typed: "sleep 500",
    kind: "none",
    evidence: /^sleep .*nanosleep/,
    cmd: "sleep",
  },
  {
    name: "sleep | cat",
    typed: "sleep 500 | cat",
    kind: "none",
    evidence: /^sleep .*nanosleep/,
    cmd: "sleep",
  },
  {
    name: "sleep | cat under sh",
    argv: sh("sleep 500 | cat"),
    kind: "none",
    evidence: /^sh .*wait4/,
    cmd: "sh",
  },
  { name: "sleep | tee", typed: "sleep 500 | tee log", kind: "none", evidence: /^sleep / },
  { name: "yes", argv: sh("exec yes > /dev/null"), kind: "none", evidence: /^yes .*(running|write)/ },
  {
    name: "shell script waiting",
    argv: ["bash", "-c", "sleep 500; true"],
    kind: "none",
    evidence: /^bash .*wait/,
  },
  { name: "bash wait", typed: "sleep 500 & wait", kind: "none", evidence: /^bash .*wait/, shell: "bash" },
  { name: "echo off asleep", argv: sh("stty -echo; exec sleep 500"), kind: "none", evidence: /^sleep / },
  { name: "raw asleep", argv: sh("stty raw -echo; exec sleep 500"), kind: "none", evidence: /^sleep / },
  {
    name: "stopped reader",
    argv: py("import subprocess", "p = subprocess.Popen(['cat'])", "p.send_signal(19)", "p.wait()"),
    kind: "none",
    evidence: /^python3 .*wait4/,
  },
  { name: "stopped job", typed: "cat", then: "C-z", kind: "raw", evidence: SELECT, shell: "bash" },
  { name: "background reader", argv: sh("timeout 500 cat; true"), kind: "none", evidence: /^sh .*wait/ },
  { name: "fifo", argv: sh("mkfifo f1; exec cat <>f1"), kind: "none", evidence: /^cat .*read/ },
  { name: "tail -f", argv: ["tail", "-f", "/etc/services"], kind: "none", evidence: /^tail / },
  { name: "flock", argv: sh("exec 9>l; flock 9; flock l true"), kind: "none", evidence: /^sh .*wait|flock/ },
];

const SERVE = "require('http').createServer(()=>{}).listen(0,'127.0.0.1')";

const DESCRIPTORS: readonly Program[] = [
  {
    name: "socket recv",
    argv: py("import socket", "a, b = socket.socketpair()", "a.recv(1)"),
    kind: "none",
    evidence: /^python3 .*recvfrom/,
  },
  {
    name: "socket read",
    argv: py("import socket, os", "a, b = socket.socketpair()", "os.read(a.fileno(), 1)"),
    kind: "none",
    evidence: /^python3 .*read/,
  },
  {
    name: "tcp accept",
    argv: py("import socket", "s = socket.create_server(('127.0.0.1', 0))", "s.accept()"),
    kind: "none",
    evidence: /^python3 .*accept4/,
  },
  {
    name: "readv",
    argv: py("import os", "os.readv(0, [bytearray(9)])"),
    kind: "line",
    evidence: /^readv\(0\)/,
  },
  {
    name: "select on the terminal and a pipe",
    argv: py("import os, select", "r, w = os.pipe()", "select.select([r, 0], [], [])"),
    kind: "line",
    guarded: "none",
    evidence: SELECT,
  },
  {
    name: "select on a pipe",
    argv: py("import os, select", "r, w = os.pipe()", "select.select([r], [], [])"),
    kind: "none",
    evidence: /^python3 .*select/,
  },
  {
    name: "select on nothing",
    argv: py("import select", "select.select([], [], [], 500)"),
    kind: "none",
    guarded: "line",
    evidence: /^python3 .*select/,
  },
  {
    name: "select for writing only",
    argv: py(
      "import os, select",
      "r, w = os.pipe()",
      "os.set_blocking(w, False)",
      "try:",
      " while 1: os.write(w, b'x' * 65536)",
      "except BlockingIOError: pass",
      "select.select([], [w], [0])",
    ),
    kind: "none",
    evidence: /^python3 .*select/,
  },
  {
    name: "poll on the terminal",
    argv: py("import select", "p = select.poll()", "p.register(0, select.POLLIN)", "p.poll()"),
    kind: "line",
    evidence: POLL,
  },
  {
    name: "poll on a pipe",
    argv: py("import os, select", "p = select.poll()", "p.register(os.pipe()[0], select.POLLIN)", "p.poll()"),
    kind: "none",
    evidence: /^python3 .*poll/,
  },
  {
    name: "ppoll with a timeout",
    argv: py(
      "import ctypes",
      "s = (ctypes.c_short * 4)(0, 0, 1, 0)",
      "t = (ctypes.c_long * 2)(500, 0)",
      "ctypes.CDLL(None).ppoll(s, 1, t, None)",
    ),
    kind: "line",
    evidence: /^ppoll on/,
  },
  {
    name: "epoll on the terminal",
    argv: py("import select", "p = select.epoll()", "p.register(0, select.EPOLLIN)", "p.poll()"),
    kind: "line",
    evidence: EPOLL,
  },
  {
    name: "epoll on a pipe",
    argv: py(
      "import os, select",
      "p = select.epoll()",
      "p.register(os.pipe()[0], select.EPOLLIN)",
      "p.poll()",
    ),
    kind: "none",
    evidence: /^python3 .*epoll/,
  },
  {
    name: "epoll in epoll",
    argv: py(
      "import select",
      "p = select.epoll()",
      "q = select.epoll()",
      "p.register(0, select.EPOLLIN)",
      "q.register(p.fileno(), select.EPOLLIN)",
      "q.poll()",
    ),
    kind: "line",
    evidence: EPOLL,
  },
  {
    name: "epoll_pwait2",
    argv: py(
      "import ctypes, select",
      "p = select.epoll()",
      "p.register(0, select.EPOLLIN)",
      "ctypes.CDLL(None).syscall(441, p.fileno(), ctypes.create_string_buffer(99), 1, None, None, 8)",
    ),
    kind: "line",
    evidence: EPOLL,
  },
  {
    name: "registered but asleep elsewhere",
    argv: py("import select, time", "p = select.epoll()", "p.register(0, select.EPOLLIN)", "time.sleep(500)"),
    kind: "none",
    evidence: /^python3 .*(nanosleep|select)/,
  },
  {
    name: "eventfd",
    argv: py("import os", "os.eventfd_read(os.eventfd(0))"),
    kind: "none",
    evidence: /^python3 .*read/,
  },
  {
    name: "signalfd",
    argv: py(
      "import ctypes, os",
      "c = ctypes.CDLL(None)",
      "m = ctypes.create_string_buffer(128)",
      "os.read(c.signalfd(-1, m, 0), 128)",
    ),
    kind: "none",
    evidence: /^python3 .*read/,
  },
  {
    name: "a thread reads",
    argv: py(
      "import sys, threading",
      "t = threading.Thread(target=sys.stdin.readline)",
      "t.start()",
      "t.join()",
    ),
    kind: "line",
    evidence: READ,
  },
  {
    name: "threads that only wait",
    argv: py(
      "import threading",
      "for _ in range(4): threading.Thread(target=threading.Event().wait).start()",
    ),
    kind: "none",
    evidence: /^python3 .*futex/,
  },
  {
    name: "a child reads",
    argv: py("import subprocess", "subprocess.run(['cat'])"),
    kind: "line",
    evidence: /by cat/,
    cmd: "python3",
  },
  {
    name: "asyncio reader",
    argv: py(
      "import asyncio, sys",
      "async def m():",
      " asyncio.get_running_loop().add_reader(0, print)",
      " await asyncio.sleep(500)",
      "asyncio.run(m())",
    ),
    kind: "line",
    evidence: EPOLL,
  },
  {
    name: "asyncio server",
    argv: py(
      "import asyncio",
      "async def m():",
      " s = await asyncio.start_server(print, '127.0.0.1', 0)",
      " await s.serve_forever()",
      "asyncio.run(m())",
    ),
    kind: "none",
    evidence: /^python3 .*epoll/,
  },
  { name: "node http server", argv: js(SERVE), kind: "none", evidence: /^node .*epoll/ },
  {
    name: "node server with a listener",
    argv: js(`${SERVE};process.stdin.on('data',()=>{})`),
    kind: "line",
    evidence: ANY,
  },
  {
    name: "node busy with a listener",
    argv: js("process.stdin.on('data',()=>{});setTimeout(()=>{for(;;);},300)"),
    kind: "none",
    evidence: /^node .*running/,
  },
  {
    name: "node readline question",
    argv: js("require('readline').createInterface(process.stdin,process.stdout).question('? ',()=>{})"),
    kind: "raw",
    evidence: EPOLL,
  },
  {
    name: "script",
    argv: ["script", "-q", "-c", "exec bash --norc", "log"],
    kind: "raw",
    evidence: /behind script$/,
    cmd: "script",
    shell: "bash",
  },
  {
    name: "script cat",
    argv: ["script", "-q", "-c", "exec cat", "log2"],
    kind: "line",
    evidence: /^read.* behind script$/,
  },
  {
    name: "script sleep",
    argv: ["script", "-q", "-c", "exec sleep 500", "log3"],
    kind: "none",
    evidence: /nanosleep behind script$/,
  },
  {
    name: "tmux in tmux",
    argv: ["tmux", "-S", "inner", "-f", "/dev/null", "new-session", "cat"],
    kind: "raw",
    evidence: ANY,
  },
  { name: "expect", argv: ["expect", "-c", "spawn cat; interact"], kind: "raw", evidence: ANY },
];

const OTHER_USERS: readonly Program[] = [
  { name: "sudo cat", argv: ["sudo", "cat"], user: "root", kind: "line", evidence: READ, cmd: "sudo" },
  {
    name: "sudo sleep",
    argv: ["sudo", "sleep", "500"],
    user: "root",
    kind: "none",
    evidence: /nanosleep|wait/,
    cmd: "sudo",
  },
  {
    name: "sudo read -s",
    argv: ["sudo", "bash", "-c", "read -s x"],
    user: "root",
    kind: "password",
    evidence: ANY,
  },
  {
    name: "sudo bash",
    argv: ["sudo", "bash", "--norc"],
    user: "root",
    kind: "raw",
    evidence: ANY,
    shell: "bash",
  },
  { name: "su -c", argv: su("cat"), user: "root", kind: "line", evidence: /^read\(0\) .* by cat/, cmd: "su" },
  {
    name: "su -c sleep",
    argv: su("sleep 500"),
    user: "root",
    kind: "none",
    evidence: /^su .*wait/,
    cmd: "su",
  },
  {
    name: "su --pty",
    argv: su("cat", "-P"),
    user: "root",
    kind: "line",
    evidence: /by cat .* behind su$/,
    cmd: "su",
  },
  {
    name: "su's shell",
    argv: ["su", "nobody", "-s", "/bin/bash"],
    user: "root",
    kind: "raw",
    evidence: SELECT,
    shell: "bash",
  },
  { name: "passwd", argv: ["passwd", "nobody"], user: "root", kind: "password", evidence: READ },
  {
    name: "sudo's password",
    argv: ["sudo", "-k", "true"],
    user: "other",
    kind: "password",
    evidence: READ,
    cmd: "sudo",
  },
  { name: "su's password", argv: ["su"], user: "other", kind: "password", evidence: READ, cmd: "su" },
  {
    name: "passwd's password",
    argv: ["passwd"],
    user: "other",
    kind: "password",
    evidence: READ,
    cmd: "passwd",
  },
];

export const PROGRAMS: readonly Program[] = [
  ...SHELLS,
  ...REPLS,
  ...SCREENS,
  ...PLAIN,
  ...NOT_WAITING,
  ...DESCRIPTORS,
  ...OTHER_USERS,
];
