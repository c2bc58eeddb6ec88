// Decides if a process is an interactive shell, and which dialect it speaks.

/** Command line of a shell: options that take a value, and options that make it run something and end. */
interface Shell {
  readonly dialect: string;
  /** Long or whole options that are followed by a value. */
  readonly valued: readonly string[];
  /** Letters of a short option cluster that take the next word (`-o vi`). */
  readonly valuedLetters: string;
  /** Options with which the shell is not interactive. */
  readonly runs: readonly string[];
}

const POSIX = { valued: ["--rcfile", "--init-file"], valuedLetters: "oO", runs: ["-c"] };

const LIKE_POSIX = "sh bash dash ash ksh mksh zsh yash posh osh ysh rc es".split(" ");

const SHELLS: readonly Shell[] = [
  ...LIKE_POSIX.map((dialect) => ({ dialect, ...POSIX })),
  {
    dialect: "fish",
    valued: ["--init-command", "--debug", "--debug-output", "--features", "--profile", "--profile-startup"],
    valuedLetters: "CdofpP",
    runs: ["-c", "--command", "-n", "--no-execute"],
  },
  { dialect: "tcsh", valued: [], valuedLetters: "", runs: ["-c", "-n"] },
  { dialect: "csh", valued: [], valuedLetters: "", runs: ["-c", "-n"] },
  {
    dialect: "nu",
    valued: ["--config", "--env-config", "--execute", "-e", "--log-level", "--plugin-config"],
    valuedLetters: "e",
    runs: ["-c", "--commands", "--lsp", "--mcp"],
  },
  {
    dialect: "pwsh",
    valued: ["-workingdirectory", "-wd", "-executionpolicy", "-ep", "-configurationname", "-settingsfile"],
    valuedLetters: "",
    runs: ["-c", "-command", "-f", "-file", "-encodedcommand", "-ec", "-e"],
  },
  { dialect: "elvish", valued: ["-rc", "-db", "-log", "-sock"], valuedLetters: "", runs: ["-c"] },
  { dialect: "xonsh", valued: ["--rc", "--shell-type"], valuedLetters: "D", runs: ["-c"] },
];

/** Other names of the same shells. */
const ALIASES: Readonly<Record<string, string>> = {
  rbash: "bash",
  rzsh: "zsh",
  rksh: "ksh",
  ksh93: "ksh",
  "ksh93u+m": "ksh",
  ksh2020: "ksh",
  pdksh: "ksh",
  oksh: "ksh",
  loksh: "ksh",
  lksh: "mksh",
  "mksh-static": "mksh",
  hush: "ash",
  "bsd-csh": "csh",
  "powershell": "pwsh",
};

export interface ProcessImage {
  readonly argv: readonly string[];
  /** Path of the file that it runs, if the kernel reports it. */
  readonly executable?: string;
  /** True if its standard input is no terminal: a pipe, a socket or a file. */
  readsScript?(): boolean;
}

/**
 * Returns the dialect of an interactive shell (`bash`, `zsh`, `fish`, `dash`, `ash` for busybox …); undefined for
 * anything else, and for a shell that runs a script or `-c`.
 */
export function findInteractiveShell(image: ProcessImage): string | undefined {
  const found = findShell(image);
  const reads = found === undefined ? undefined : commandsRead(...found);
  return reads === undefined || reads === "input" && image.readsScript?.() ? undefined : found![0].dialect;
}

/** A shell, and the words after its name. */
type ShellLine = [shell: Shell, words: readonly string[]];

function findShell({ argv: rawArgv, executable }: ProcessImage): ShellLine | undefined {
  const argv = splitTitle(rawArgv);
  // A process that just executes a program has its name before its command line: it may be `sh -c cat`.
  if (argv.length === 0) return undefined;
  const calledAs = shellName(argv[0] ?? "");
  const file = baseName(executable ?? "");
  if (file.startsWith("busybox") || calledAs === "busybox") return findBusyboxShell(argv);
  if (calledAs === "xonsh") return shellLine("xonsh", argv.slice(1));
  if (/^python/.test(file || calledAs)) {
    const script = argv.findIndex((word, index) => index > 0 && !word.startsWith("-"));
    return shellName(argv[script] ?? "") === "xonsh" ? shellLine("xonsh", argv.slice(script + 1)) : undefined;
  }
  const dialect = dialectOf(shellName(file)) ?? dialectOf(calledAs);
  return dialect === undefined ? undefined : shellLine(dialect, argv.slice(1));
}

/** Splits the command line of a program that renamed itself (xonsh): one word has it all, the others are empty. */
function splitTitle(argv: readonly string[]): readonly string[] {
  const words = argv.slice(0, argv.findLastIndex((word) => word !== "") + 1);
  return words.length === 1 ? words[0]!.split(" ") : words;
}

function findBusyboxShell(argv: readonly string[]): ShellLine | undefined {
  const calledAs = shellName(argv[0] ?? "");
  const [applet, rest] = calledAs.startsWith("busybox")
    ? [argv[1] ?? "", argv.slice(2)]
    : [calledAs, argv.slice(1)];
  return ["sh", "ash", "hush"].includes(applet) ? shellLine("ash", rest) : undefined;
}

function dialectOf(name: string): string | undefined {
  const known = ALIASES[name] ?? name;
  return SHELLS.some((shell) => shell.dialect === known) ? known : undefined;
}

function shellLine(dialect: string, words: readonly string[]): ShellLine | undefined {
  const shell = SHELLS.find((each) => each.dialect === dialect);
  return shell && [shell, words];
}

/**
 * Returns where the shell reads commands from: the terminal (`-i`) or its standard input; undefined for an operand,
 * which is a script, unless `-s` or `-i` is given.
 */
function commandsRead(shell: Shell, words: readonly string[]): "terminal" | "input" | undefined {
  let forced: "terminal" | "input" | undefined;
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? "";
    const option = shell.dialect === "pwsh" ? word.toLowerCase() : word;
    if (option === "-" || option === "--") {
      return forced ?? (words[at + 1] === undefined ? "input" : undefined);
    }
    if (!/^[-+]./.test(option) || shell.runs.includes(option)) return forced;
    if (shell.dialect === "pwsh" && option === "-noexit") forced = "terminal";
    if (isCluster(shell, option)) {
      if (option.startsWith("-") && option.includes("i")) forced = "terminal";
      else if (option.startsWith("-") && option.includes("s")) forced ??= "input";
      if (option.startsWith("-") && option.includes("c") && shell.runs.includes("-c")) return forced;
      if (shell.valuedLetters.includes(option.at(-1) ?? " ")) at++;
    } else if (shell.valued.includes(option)) at++;
  }
  return forced ?? "input";
}

/** True for options such as `-il`; long options, and single-dash words of pwsh and elvish, are not clusters. */
function isCluster(shell: Shell, option: string): boolean {
  return /^[-+][A-Za-z0-9]+$/.test(option) && shell.dialect !== "pwsh" && shell.dialect !== "elvish";
}

function shellName(word: string): string {
  return baseName(word).replace(/^-/, "").replace(/\.exe$/i, "").replace(
    /-?\d+(\.\d+)*$/,
    (version) => version === "93" || version === "2020" ? version : "",
  );
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}
