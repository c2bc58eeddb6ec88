// Real programs and what the kernel can tell about each when it has come to rest.

import { ASKING } from "./asking_programs.ts";
import { DESCRIPTORS } from "./descriptor_programs.ts";
import { EVENT_LOOPS } from "./event_loop_programs.ts";
import { ANY, EPOLL, POLL, type Program, py, READ, SELECT, sh, su } from "./program.ts";

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

/** An ELF file of 112 bytes for i386 that reads one byte from its input: `read(0, buffer, 1); exit(0)`. */
const I386_READ =
  "f0VMRgEBAQAAAAAAAAAAAAIAAwABAAAAVIAECDQAAAAAAAAAAAAAADQAIAABAAAAAAAAAAEAAAAAAAAAAIAECACABAhwAAAAgAAAAAcA" +
  "AAAAEAAAuAMAAAAx27lwgAQIugEAAADNgLgBAAAAMdvNgA==";
/** Its calls have other numbers than those of 64 bits. */
const READ_OF_32_BITS: Program = {
  name: "a program of 32 bits",
  argv: sh(`echo ${I386_READ} | base64 -d >read32; chmod +x read32; exec ./read32`),
  kind: "line",
  evidence: /^probably: read32 \(\d+\) asleep in \w+, holds/,
};

const REPLS: readonly Program[] = [
  ...(Deno.build.arch === "x86_64" ? [READ_OF_32_BITS] : []),
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
  {
    name: "a password behind rlwrap",
    argv: ["rlwrap", ...py("import getpass; getpass.getpass()")],
    kind: "password",
    evidence: /^read.* behind rlwrap$/,
    cmd: "rlwrap",
  },
];

const SCREENS: readonly Program[] = [
  { name: "vim", argv: ["vim", "-u", "NONE"], kind: "raw", evidence: ANY },
  { name: "nano", argv: ["nano"], kind: "raw", evidence: READ },
  { name: "less", argv: ["less", "/etc/login.defs"], kind: "raw", evidence: READ },
  { name: "less in a pipe", typed: "seq 1000 | less", kind: "raw", evidence: /^read\(3\) on/, cmd: "less" },
  { name: "more", argv: ["more", "/etc/login.defs"], kind: "raw", evidence: ANY },
  { name: "man", argv: ["man", "-P", "less", "tmux"], kind: "raw", evidence: /by (less|pager)/ },
  { name: "top", argv: ["top"], kind: "raw", evidence: SELECT },
  { name: "htop", argv: ["htop"], kind: "raw", evidence: POLL },
  { name: "dialog", argv: ["dialog", "--yesno", "Go on?", "8", "40"], kind: "raw", evidence: ANY },
  { name: "whiptail", argv: ["whiptail", "--yesno", "Go on?", "8", "40"], kind: "raw", evidence: ANY },
  { name: "fzf", typed: "seq 5 | fzf", kind: "raw", evidence: ANY },
];

const PLAIN: readonly Program[] = [
  { name: "cat", argv: ["cat"], kind: "line", evidence: READ, cmd: "cat" },
  {
    name: "a reader whose name the kernel cuts",
    argv: sh("cp /bin/cat a-cat-with-a-long-name; ./a-cat-with-a-long-name; true"),
    kind: "line",
    evidence: /by a-cat-with-a-long-name \(/,
  },
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
  {
    name: "rlwrap sleep",
    argv: ["rlwrap", "sleep", "500"],
    kind: "none",
    evidence: /^sleep .*nanosleep behind rlwrap$/,
    cmd: "rlwrap",
  },
  { name: "yes", argv: sh("exec yes > /dev/null"), kind: "none", evidence: /^yes .*(running|write)/ },
  {
    name: "shell script waiting",
    argv: ["bash", "-c", "sleep 500; true"],
    kind: "none",
    evidence: /^bash .*wait/,
  },
  {
    name: "bash with a script from a pipe",
    typed: "echo 'sleep 500; true' | bash",
    kind: "none",
    evidence: /^bash .*wait/,
    cmd: "bash",
  },
  {
    name: "sh with a script from a file",
    typed: "echo 'sleep 500; true' >script; sh <script",
    kind: "none",
    evidence: /^sh .*wait/,
    cmd: "sh",
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
  {
    name: "a hook's child in the shell's group",
    typed: "set +m; sleep 500 &",
    kind: "raw",
    evidence: SELECT,
    cmd: "bash",
    shell: "bash",
  },
  { name: "stopped job", typed: "cat", then: "C-z", kind: "raw", evidence: SELECT, shell: "bash" },
  { name: "background reader", argv: sh("timeout 500 cat; true"), kind: "none", evidence: /^sh .*wait/ },
  { name: "fifo", argv: sh("mkfifo f1; exec cat <>f1"), kind: "none", evidence: /^cat .*read/ },
  { name: "tail -f", argv: ["tail", "-f", "/etc/login.defs"], kind: "none", evidence: /^tail / },
  { name: "flock", argv: sh("exec 9>l; flock 9; flock l true"), kind: "none", evidence: /^sh .*wait|flock/ },
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
  ...EVENT_LOOPS,
  ...ASKING,
  ...OTHER_USERS,
];
