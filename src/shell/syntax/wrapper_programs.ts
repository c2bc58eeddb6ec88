// Programs that run a command from their arguments or input, by the way in which they receive it.

/** Way in which a program receives the command that it runs. */
export type WrapperKind =
  /** Shells: from files, from text after `-c`, or from a pipe. */
  | "reader"
  /** From the rest of their words: `sudo rm`. */
  | "runner"
  /** After `-exec`. */
  | "finder"
  /** As shell text: `eval`, `trap`, `ssh`. */
  | "text"
  /** Programs with many subcommands, some of which run a command: git, docker, npm. */
  | "tool";

const PROGRAMS: Readonly<Record<WrapperKind, string>> = {
  reader:
    "sh bash rbash dash ash zsh rzsh ksh ksh93 mksh yash posh fish tcsh csh nu elvish xonsh pwsh source .",
  runner:
    `command builtin exec nohup setsid time gtime nice ionice chrt taskset timeout gtimeout stdbuf unbuffer env sudo doas
    runuser pkexec run0 chroot unshare nsenter fakeroot proot strace ltrace gdb perf valgrind entr flock xargs repeat
    noglob nocorrect - and or not begin else while if coproc systemd-run systemd-inhibit setarch linux32 linux64 cgexec
    dbus-run-session dbus-launch xvfb-run chpst softlimit start-stop-daemon setpriv prlimit choom numactl cpulimit
    ssh-agent sg newgrp login gosu su-exec setuidgid envdir tini dumb-init catchsegv rr heaptrack bwrap firejail faketime eatmydata
    torsocks proxychains rlwrap busybox toybox function enable autoload zmodload zle sched print`,
  finder: "find fd fdfind gfind",
  text:
    `eval trap alias abbr bind bindkey zstyle complete compgen mapfile readarray emulate zpty fc history r hash compdef add-zsh-hook
    su script expect watch parallel ssh mosh nix-shell at batch hyperfine`,
  tool:
    `docker podman kubectl direnv tmux screen crontab make gmake npm npx pnpm yarn bun bunx deno uv uvx poetry pipx bundle
    git argparse`,
};

const CARRIERS = new Map(
  (Object.entries(PROGRAMS) as [WrapperKind, string][]).flatMap(([wrapper, programs]) =>
    programs.split(/\s+/).map((program) => [program, wrapper] as const)
  ),
);

/** Programs that start a shell if their words have no command, with the number of operands they take first. */
export const SHELL_STARTERS: Readonly<Record<string, number>> = {
  su: 1,
  newgrp: 1,
  login: 1,
  sudo: 0,
  doas: 0,
  pkexec: 0,
  run0: 0,
  runuser: 1,
  sg: 1,
  chroot: 1,
  unshare: 0,
  nsenter: 0,
  setarch: 1,
  linux32: 0,
  linux64: 0,
  fakeroot: 0,
  proot: 0,
  firejail: 0,
  script: 1,
  ssh: 1,
  mosh: 1,
  at: Infinity,
  batch: Infinity,
  "nix-shell": 0,
  "systemd-run": 0,
};

export const READERS: ReadonlySet<string> = new Set(PROGRAMS.reader.split(" "));

/** Options and words that are followed by shell text. */
export const MARKS_TEXT =
  /^(?:-[A-Za-z]*[cxS]|--(?:command|split-string|run|exec|extcmd|entrypoint|.*-filter)|foreach)$/;

/** Way in which a program receives the command that it runs; undefined if it runs none. */
export function findWrapper(name: string | undefined): WrapperKind | undefined {
  const program = programOf(name);
  return CARRIERS.get(program) ?? (/^ld(?:-linux.*)?\.so/.test(program) ? "runner" : undefined);
}

/** Name of a program without its folder; empty if there is none. */
export function programOf(name: string | undefined): string {
  return name?.split("/").at(-1) ?? "";
}
