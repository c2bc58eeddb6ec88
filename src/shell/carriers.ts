// Commands that run what they are given: `sudo rm`, `eval "rm"`, `bash <<< rm`.
import type { Statement } from "./simple_commands.ts";

const CARRIERS = new Set(
  `command builtin exec eval nohup setsid time nice ionice chrt taskset timeout stdbuf unbuffer script expect env
  sudo doas su runuser pkexec chroot unshare nsenter fakeroot proot strace ltrace gdb perf valgrind watch entr flock
  xargs parallel find fd fdfind ssh mosh docker podman kubectl nix-shell direnv tmux screen busybox toybox
  trap alias abbr bind complete source . repeat noglob nocorrect - and or not begin else while if function coproc
  systemd-run at batch crontab make npm npx pnpm yarn bunx deno uv uvx poetry pipx bundle git`.split(/\s+/),
);

const SHELLS = new Set("sh bash rbash dash ash zsh rzsh ksh ksh93 mksh yash fish tcsh csh".split(" "));

export interface Carried {
  /** Each rest of its words, any of which may be what it runs. */
  readonly commands: readonly string[];
  /** Words and input that may be shell text. */
  readonly texts: readonly string[];
  /** Something it runs depends on an expansion. */
  readonly unknown: boolean;
}

/** What a command may run besides itself; undefined for one that runs nothing it is given. */
export function findCarried({ name, words, input }: Statement): Carried | undefined {
  const program = name?.split("/").at(-1) ?? "";
  const isShell = SHELLS.has(program);
  if (!isShell && !CARRIERS.has(program)) return undefined;
  const rest = words.slice(1);
  const given = isShell ? [...rest, ...input] : rest;
  const known = given.filter((word) => word !== undefined);
  return {
    commands: rest.map((_, at) => rest.slice(at).join(" ")),
    texts: known.flatMap(textsIn),
    unknown: known.length < given.length,
  };
}

/** The word where a shell would take it apart, and the value in `--option=value` and `name=value`. */
function textsIn(word: string): string[] {
  const value = /^[\w-]+=(.*)$/s.exec(word)?.[1];
  return [word, ...value === undefined ? [] : [value]].filter((text) => /[\s;&|<>$`()]/.test(text));
}
