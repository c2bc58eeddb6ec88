// The formats of compilers, linkers, linters and build tools.
import type { ToolFormat } from "./tool_format.ts";

const SOURCE_FILE = String
  .raw`[^\s:][^:]*\.(?:[cCdmsS]|cc|cpp|cxx|c\+\+|h|hh|hpp|hxx|inl|ipp|mm|cu|f|for|f\d\d|F\d\d|ad[sb])`;
/** The headers of C++'s own library have no extension. */
const C_FILE = String.raw`${SOURCE_FILE}|(?:[^\s:][^:]*)?\/include\/[^:]+`;
const PYTHON_ARROW = /^ *--> (?<file>\S.*?\.(?:pyi?|ipynb)):(?<line>\d+):(?<column>\d+)$/;
const ARROW = /^ *--> (?<file>\S.*?):(?<line>\d+):(?<column>\d+)$/;

/** ruff begins its messages with capitals or backticks, except those on f-strings. */
const FLAKE8 =
  /^(?<file>\S.*\.pyi?):(?<line>\d+):(?<column>\d+): (?<code>[A-Z]+\d+) (?<message>(?!f-string without)[a-z'].*)$/;

export const COMPILERS: readonly ToolFormat[] = [
  {
    source: "tsc",
    begin:
      /^(?<file>\S.*?)\((?<line>\d+),(?<column>\d+)\): (?<severity>error|warning) (?<code>TS\d+): (?<message>.+)$/,
  },
  {
    source: "tsc",
    begin:
      /^(?:Error: )?(?<file>\S.*?):(?<line>\d+):(?<column>\d+) - (?<severity>error|warning) (?<code>TS\d+): (?<message>.+)$/,
  },
  { source: "tsc", begin: /^(?<severity>error) (?<code>TS\d+): (?<message>.+)$/ },
  {
    source: "dotnet",
    begin:
      /^ *(?<file>\S.*?)\((?<line>\d+)(?:,(?<column>\d+))?\): (?<severity>error|warning) (?<code>[A-Za-z]+\d+): (?<message>.+?)(?: \[[^\]]+(?:proj|slnx?)(?:::[^\]]*)?\])?$/,
    except: / TS\d+: /,
    repeats: true,
  },
  {
    source: "dotnet",
    begin:
      /^ *(?:(?:CSC|VBC|FSC|MSBUILD|(?<file>\S.*proj)) ?: )?(?<severity>error|warning) (?<code>(?:CS|VB|FS|MSB|MSBUILD|NETSDK|NU)\d+): (?<message>.+?)(?: \[[^\]]+(?:proj|slnx?)(?:::[^\]]*)?\])?$/,
    repeats: true,
  },
  {
    source: "eslint",
    head: /^(?<file>\/[^\s:]+|(?:\/|[A-Za-z]:\\|[\w@.-])\S*(?: \S+)*\.\w+)$/,
    headless: /^✖ \d+ problems? \(/,
    // A line of a message can end like a file too.
    headAdjoins: true,
    begin:
      /^ {2,}(?<line>\d+):(?<column>\d+) +(?<severity>error|warning) {2,}(?<message>\S.*?)(?:(?<! ) {2,}(?<code>[@\w][\w@/-]*))?$/,
    // The rule is at the end of a message, which may have several lines, and blank ones among them.
    more: [/(?<=\S) {2,}(?<code>[@\w][\w@-]*\/[\w/-]+)$/],
    within: 60,
  },
  {
    source: "biome",
    begin:
      /^(?<file>\S.*?)(?::(?<line>\d+):(?<column>\d+))? (?<code>(?:lint|assist|syntax|parse|suppressions)(?:\/[\w/]+)?) (?: FIXABLE )? ?━+$/,
    more: [/^ {2}(?<severity>[×✖!⚠iℹ]) (?<message>\S.*)$/],
    within: 3,
    needs: ["message"],
  },
  {
    source: "oxlint",
    begin: /^ {2}(?<severity>[x×!⚠]) (?<code>[\w@-]+\([\w/-]+\)): (?<message>.+)$/,
    more: [/^ +[,╭][-─]+\[(?<file>[^\]]+?):(?<line>\d+):(?<column>\d+)\]$/],
    within: 6,
    needs: ["file"],
  },
  {
    source: "deno lint",
    begin: /^(?<severity>error|warning)\[(?<code>[a-z][\w-]*)\]: (?<message>.+)$/,
    more: [ARROW],
    unless: PYTHON_ARROW,
    within: 2,
    needs: ["file"],
  },
  {
    source: "deno check",
    begin: /^(?<code>TS\d+) \[(?<severity>ERROR|WARN)\]: (?<message>.+)$/,
    more: [/^ +at (?<file>\S.*?):(?<line>\d+):(?<column>\d+)$/],
    within: 60,
  },
  {
    source: "shellcheck",
    begin:
      /^(?<file>\S.*?):(?<line>\d+):(?<column>\d+): (?<severity>note|warning|error): (?<message>.+) \[(?<code>SC\d+)\]$/,
  },
  {
    source: "shellcheck",
    head: /^In (?<file>.+) line (?<line>\d+):$/,
    headless: /^For more information:$/,
    begin: /^ *\^-*\^?-* (?<code>SC\d{4}) \((?<severity>error|warning|info|style)\): (?<message>.+)$/,
  },
  {
    source: "gcc",
    begin: new RegExp(
      String
        .raw`^(?<file>${C_FILE}):(?<line>\d+):(?:(?<column>\d+):)? (?<severity>fatal error|[Ee]rror|[Ww]arning): ` +
        String.raw`(?<message>.+?)(?: \[(?<code>-W[\w=+,-]+)\])?$`,
    ),
  },
  {
    source: "gcc",
    begin:
      /^(?:[\w./-]*(?:gcc|g\+\+|clang|clang\+\+)(?:-\d+)?|cc1|cc1plus|cc|c\+\+): (?:fatal )?error: (?<message>.+)$/,
    except: /linker command failed/,
  },
  {
    source: "ld",
    begin:
      /^(?:\S*ld(?:\.\w+)?: )?(?:[^\s:]+\.o:)?(?<file>[^\s:][^:]*):(?:\(\.[^\s()]+\)|(?<line>\d+)): (?<message>(?:undefined reference to|multiple definition of) .+)$/,
  },
  {
    source: "ld",
    begin:
      /^(?:\S*\/)?(?:[\w-]+-)?ld(?:\.\w+)?: (?:(?<file>[^\s:]+): (?=undefined|relocation))?(?<message>(?:cannot find|undefined reference to symbol|relocation R_\w+ against) .+)$/,
  },
  {
    source: "ld",
    begin:
      /^(?:\S*\/)?(?:[\w-]+-)?(?:ld\.lld|ld64\.lld|lld-link|wasm-ld|mold)(?:-\d+)?: (?:error|fatal): (?<message>.+)$/,
    except: /too many errors emitted/,
    more: [
      /^>>> (?:referenced by|defined at) (?:.+ \((?=.+:\d+\)$))?(?<file>[^\s<:()][^:()]*)(?::(?<line>\d+))?\)?$/,
    ],
    within: 1,
  },
  {
    source: "make",
    begin:
      /^\w*make(?:\[\d+\])?: \*\*\* (?=(?:\[(?<file>[^\s:\]]+):(?<line>\d+): )?)(?<message>.+?)(?:\.?\s+Stop\.)?$/,
    except: /Waiting for unfinished jobs/,
  },
  { source: "make", begin: /^(?<file>[^\s:]+):(?<line>\d+): \*\*\* (?<message>.+?)\.?\s+Stop\.$/ },
  { source: "ninja", begin: /^ninja: error: (?=(?:(?<file>[^\s:]+):(?<line>\d+): )?)(?<message>.+)$/ },
  {
    source: "cmake",
    begin:
      /^CMake (?<severity>Error|Warning|Deprecation Warning)(?: \(dev\))?(?: (?:at|in) (?<file>[^:]+?)(?::(?<line>\d+))?(?: \((?<code>[^)]*)\))?)?:(?: (?<message>\S.*))?$/,
    more: [/^ {2}(?<message>\S.*)$/],
    within: 3,
  },
  {
    source: "rustc",
    begin: /^(?<severity>error|warning)(?:\[(?<code>E\d+)\])?: (?<message>.+)$/,
    more: [ARROW],
    // More lines of the message are indented.
    unless: /^(?! {7,}\S|\s*$| *--> )/,
    confirm: ARROW,
    within: 30,
    needs: ["file"],
  },
  {
    // With `--message-format short`.
    source: "rustc",
    begin:
      /^(?<file>\S.*\.rs):(?<line>\d+):(?<column>\d+): (?<severity>error|warning)(?:\[(?<code>E\d+)\])?: (?<message>.+)$/,
  },
  { source: "rustc", begin: /^(?<severity>error): (?<message>linking with `.+` failed: .+)$/ },
  {
    source: "go",
    begin: /^(?:vet: )?(?<file>[^\s:][^:]*\.go):(?<line>\d+):(?<column>\d+): (?<message>.+)$/,
  },
  {
    source: "javac",
    begin:
      /^(?::[\w:-]+(?=\/))?(?<file>\S.*\.java):(?<line>\d+): (?<severity>error|warning): (?:\[(?<code>[\w-]+)\] )?(?<message>.+)$/,
  },
  {
    // Gradle prints this; with Kotlin before 1.8, it prints the next format.
    source: "kotlin",
    begin: /^(?<severity>[ew]): (?<file>file:\/\/\/.+?\.kts?):(?<line>\d+):(?<column>\d+):? (?<message>.+)$/,
  },
  {
    source: "kotlin",
    begin: /^(?<severity>[ew]): (?<file>.+?\.kts?): \((?<line>\d+), (?<column>\d+)\): (?<message>.+)$/,
  },
  {
    source: "kotlin",
    begin: /^(?<file>\S.*?\.kts?):(?<line>\d+):(?<column>\d+): (?<severity>error|warning): (?<message>.+)$/,
  },
  {
    source: "swift",
    begin:
      /^(?<file>\S.*?\.swift):(?<line>\d+):(?:(?<column>\d+):)? (?<severity>error|warning): (?<message>.+)$/,
    repeats: true,
  },
  {
    // gradle's compilers and tests have already reported this.
    source: "gradle",
    begin: /^(?:FAILURE: Build failed|\d+: Task failed) with an exception\.$/,
    more: [
      /^(?:[A-Z]\w+ file|Script|Initialization script) '(?<file>[^']+)' line: (?<line>\d+)$/,
      /^(?:> (?!startup failed:)| {2}\w+ file '[^']+': \d+: )(?<message>.+)$/,
      /^(?<message>(?:Task|Project|Could not (?!resolve all|compile \w+ file)|Cannot) .+)$/,
    ],
    unless: /^> (?:There were failing tests|Compilation (?:failed|error)|Process 'command '.*java'')/,
    within: 12,
    needs: ["message"],
  },
  {
    source: "maven",
    begin:
      /^\[(?<severity>ERROR|WARNING)\] (?<file>\S.*\.(?:java|kt|scala|groovy)):\[(?<line>\d+),(?<column>\d+)\] (?:error: )?(?<message>.+)$/,
    repeats: true,
  },
  {
    source: "mypy",
    begin:
      /^(?<file>\S.*\.pyi?):(?<line>\d+):(?:(?<column>\d+):)? (?<severity>error|warning): (?<message>.+?)(?: {2}\[(?<code>[\w-]+)\])?$/,
  },
  {
    source: "ty",
    begin: /^(?<severity>error|warning|info)\[(?<code>[a-z][\w-]*)\]: (?<message>.+)$/,
    more: [PYTHON_ARROW],
    within: 2,
    needs: ["file"],
  },
  {
    source: "ty",
    begin:
      /^(?<file>\S.*\.(?:pyi?|ipynb)):(?<line>\d+):(?<column>\d+): (?<severity>error|warning|info)\[(?<code>[a-z][\w-]*)\] (?<message>.+)$/,
  },
  {
    source: "pyrefly",
    begin: /^ *(?<severity>ERROR|WARN|INFO) (?<message>.+) \[(?<code>[a-z][\w-]*)\]$/,
    except: /:\d+:\d+-[\d:]+: /,
    more: [PYTHON_ARROW],
    within: 2,
    needs: ["file"],
  },
  {
    source: "pyrefly",
    begin:
      /^ *(?<severity>ERROR|WARN|INFO) (?<file>\S.*\.(?:pyi?|ipynb)):(?<line>\d+):(?<column>\d+)-[\d:]+: (?<message>.+) \[(?<code>[a-z][\w-]*)\]$/,
  },
  {
    source: "pyright",
    begin:
      /^ *(?<file>\S.*\.(?:pyi?|ipynb)):(?<line>\d+):(?<column>\d+) - (?<severity>error|warning|information): (?<message>.+?)(?: \((?<code>report\w+)\))?$/,
    // pyright indents these lines with non-breaking spaces.
    more: [/^\s{4,}.+ \((?<code>report\w+)\)$/],
    within: 8,
  },
  {
    source: "pylint",
    begin:
      /^(?<file>\S.*\.pyi?):(?<line>\d+):(?<column>\d+): (?<code>(?<severity>[CRWEFI])\d{4}): (?<message>.+) \([a-z][\w-]*\)$/,
    countsFromZero: true,
  },
  {
    source: "flake8",
    begin: FLAKE8,
  },
  {
    source: "ruff",
    except: FLAKE8,
    begin:
      /^(?<file>\S.*\.(?:pyi?|ipynb)):(?<line>\d+):(?<column>\d+): (?<code>[A-Z]+\d+|invalid-syntax:?) (?:\[\*\] )?(?<message>.+)$/,
  },
  {
    source: "ruff",
    begin: /^(?<code>[A-Z]{1,5}\d{3,4}|invalid-syntax)(?:: | )(?:\[\*\] )?(?<message>\S.*)$/,
    more: [ARROW],
    within: 1,
    needs: ["file"],
  },
];
