// Commands that run what they are given: `sudo rm`, `eval "rm"`, `bash <<< rm`.
import type { Statement } from "./simple_commands.ts";

const CARRIERS = new Set(
  `command builtin exec eval nohup setsid time nice ionice chrt taskset timeout stdbuf unbuffer script expect env
  sudo doas su runuser pkexec chroot unshare nsenter fakeroot proot strace ltrace gdb perf valgrind watch entr flock
  xargs parallel find fd fdfind ssh mosh docker podman kubectl nix-shell direnv tmux screen busybox toybox
  trap alias abbr bind complete source . repeat noglob nocorrect - and or not begin else while if function coproc
  systemd-run at batch crontab make npm npx pnpm yarn bunx deno uv uvx poetry pipx bundle git
  compgen mapfile readarray emulate zpty sched fc history r hash print zle autoload zmodload enable compdef add-zsh-hook rlwrap catchsegv
  setarch linux32 linux64 cgexec systemd-inhibit dbus-run-session xvfb-run chpst softlimit start-stop-daemon`
    .split(
      /\s+/,
    ),
);

const SHELLS = new Set("sh bash rbash dash ash zsh rzsh ksh ksh93 mksh yash fish tcsh csh".split(" "));

/** Commands that run what they read: from arguments with `-c`, from files, or from what is piped into them. */
const READERS = new Set([...SHELLS, "source", "."]);
/** Commands that put what they read into the command they run. */
const FILLERS = new Set(["xargs", "parallel"]);
/** Of these, options with an argument of their own. */
const FILLER_OPTIONS = /^-[nILPsdEaJRj]$/;

export interface Carried {
  /** Each rest of its words, any of which may be what it runs. */
  readonly commands: readonly string[];
  /** Words and input that may be shell text. */
  readonly texts: readonly string[];
  /** Something it runs depends on an expansion, or on what is piped into it. */
  readonly unknown: boolean;
}

/** What a command may run besides itself; undefined for one that runs nothing it is given. */
export function findCarried(statement: Statement): Carried | undefined {
  const { name, words, input } = statement;
  const program = programOf(name);
  const reads = READERS.has(program);
  if (!reads && !CARRIERS.has(program) && !/^ld(?:-linux.*)?\.so/.test(program)) return undefined;
  const rest = words.slice(1);
  const given = reads ? [...rest, ...input] : rest;
  const known = given.filter((word) => word !== undefined);
  const inside = known.flatMap((word) => [...valuesIn(word), ...attachedIn(word, program)]);
  return {
    commands: [...rest.map((_, at) => rest.slice(at).join(" ")), ...inside],
    texts: [...known, ...inside].filter(isText),
    unknown: known.length < given.length || readsPipe(statement) ||
      (FILLERS.has(program) && fillsCommand(rest)),
  };
}

function programOf(name: string | undefined): string {
  return name?.split("/").at(-1) ?? "";
}

/** The value in `--option=value`, `name=value` and git's `alias.name=!value`. */
function valuesIn(word: string): string[] {
  const value = /^[\w.-]+=!?(.*)$/s.exec(word)?.[1];
  return value === undefined ? [] : [value];
}

/** What stands in one word with a short option that takes a command: `-S'rm x'`, `-qc'rm x'`. */
function attachedIn(word: string, program: string): string[] {
  // `bind -x '"key": command'`
  if (program === "bind") return /:(.*)$/s.exec(word)?.slice(1) ?? [];
  if (/^(?:find|fd|fdfind)$/.test(program)) return [];
  const value = /^-[A-Za-z]*?[cSe](.+)$/s.exec(word)?.[1];
  return value === undefined ? [] : [value];
}

/** Where a shell would take it apart. */
function isText(word: string): boolean {
  return /[\s;&|<>$`()]/.test(word);
}

/** Whether a shell, run as it is or by another command, takes its commands from a pipe. */
function readsPipe({ piped, words }: Statement): boolean {
  const at = words.findIndex((word) => READERS.has(programOf(word)));
  if (at < 0) return false;
  const operands = words.slice(at + 1).filter((word) => word !== undefined);
  if (operands.some((word) => /^(?:\/dev\/(?:stdin|fd\/)|\/proc\/self\/fd\/)/.test(word))) return true;
  if (!piped || operands.some((word) => /^-\w*c/.test(word))) return false;
  return operands.every((word) => word.startsWith("-")) || operands.some((word) => /^-\w*s/.test(word));
}

/** Whether what is read may be, or be read by, the command: `xargs sh -c`, `xargs -I{} {}`. */
function fillsCommand(rest: readonly (string | undefined)[]): boolean {
  let at = 0;
  while (rest[at]?.startsWith("-")) at += FILLER_OPTIONS.test(rest[at]!) ? 2 : 1;
  const command = programOf(rest[at]);
  return /[{}%]/.test(command) || READERS.has(command) || CARRIERS.has(command);
}
