// The formats of test runners, and of programs that crash.
import type { ToolFormat } from "./tool_format.ts";

/** Stack frame in code that is neither a package's nor the runtime's. */
const FRAME =
  /^ +at (?!.*(?:node_modules|node:|ext:|<anonymous>:))(?:async )?(?:.*? \()?(?:file:\/\/)?(?<file>[^:]+):(?<line>\d+):(?<column>\d+)\)?$/;
const PYTHON_FRAME =
  /^(?: {2}\| )? {2}File "(?<file>(?!.*(?:\/lib\/python\d|site-packages|dist-packages))[^"<]+)", line (?<line>\d+)/;
const TRACEBACK = /^(?: {2}\+ Exception Group )?Traceback \(most recent call last\):$/;
/** The last line of a traceback. */
const PYTHON_ERROR = /^(?: {2}\| )?(?<message>[A-Za-z_][\w.]*(?:: .*)?)$/;

const VITEST_FRAME = /^ *❯ (?:.*? )?(?<file>[^\s():]+):(?<line>\d+):(?<column>\d+)$/;
const VITEST_ERROR = /^(?<message>(?:Unknown )?[A-Z]\w*(?:: .*)?)$/;

const NODE_ERROR = /^(?:Uncaught )?(?<message>[A-Z]\w*(?: \[\w+\])?: .+)$/;
const NODE_CRASH: Omit<ToolFormat, "begin"> = {
  source: "node",
  confirm: /^Node\.js v\d/,
  within: 100,
  needs: ["message", "confirmed"],
};

export const TEST_RUNNERS: readonly ToolFormat[] = [
  {
    source: "jest",
    to: /^Summary of all failing tests$/,
    again: /^Test Suites: /,
    // A project's name has two blanks after it on a terminal, and one elsewhere.
    head:
      /^ ?FAIL(?: {2,3}(?:\S.*? {2})?| (?:[^\s/.]+ (?=\S+\.\w+(?: \(|$)))?)(?<file>\S.*?\.\w+)(?: \([^()]*\))*$/,
    headless: /^ ?(?:PASS|FAIL) +\S/,
    begin: /^ {2}● (?<code>.+)$/,
    except: /● Console$/,
    more: [FRAME, /^ {4}(?<message>\S.*)$/],
    within: 200,
  },
  {
    source: "vitest",
    begin:
      /^ ?FAIL {1,3}(?:\|[^|]+\| |\S[^>]*? {2})?(?<file>\S(?:(?! > | \[ ).)*)(?: > (?<code>.+)| \[ .+ \])$/,
    headless: /^ ?FAIL +\S/,
    more: [
      VITEST_FRAME,
      VITEST_ERROR,
    ],
    within: 200,
  },
  {
    source: "vitest",
    begin: /^⎯+ Un(?:handled|caught) (?:Rejection|Exception|Error) ⎯+$/,
    more: [VITEST_FRAME, VITEST_ERROR],
    within: 60,
    needs: ["message"],
  },
  {
    source: "mocha",
    from: /^ {2}\d+ failing$/,
    begin: /^ {2}\d+\) (?<title>.+?):?$/,
    more: [/^ {7,}(?<title>\S.*?):?$/, FRAME, /^ {5,6}(?<message>\S.*)$/],
    within: 100,
  },
  {
    source: "tap",
    from: /^ *(?:TAP version \d+|\d+\.\.\d+|ok \d+\b.*|# Subtest: .*)$/,
    begin: /^ *not ok \d+(?: -)? ?(?<code>.*)$/,
    except: /# (?:todo|skip)\b/i,
    more: [
      /^ +location: ["']?(?<file>[^\s'"].*?):(?<line>\d+):(?<column>\d+)["']?$/,
      /^ +(?:error|message): (?!\|)["']?(?<message>.+?)["']?$/,
      // As bats writes it.
      /^# \(.*in (?:test )?file (?<file>\S.*?), line (?<line>\d+)\)$/,
      /^# {3}(?<message>`.+' failed.*)$/,
    ],
    unless: /^ +failureType: '?subtestsFailed/,
    within: 10,
  },
  {
    source: "node:test",
    from: /^✖ failing tests:$/,
    begin: /^test at (?<file>\S.*?):(?<line>\d+):(?<column>\d+)$/,
    unless: /^✖ .* # TODO/,
    more: [/^✖ (?<code>.+?)(?: \([\d.]+ms\))?$/, /^ {2}(?<message>\S.*)$/],
    within: 10,
  },
  {
    source: "deno test",
    from: /^\s*ERRORS\s*$/,
    to: /^\s*FAILURES\s*$/,
    begin:
      /^(?:(?<code>\S.*?) => )?(?<file>(?:\.{0,2}\/|file:\/\/)[^:]+?)(?::(?<line>\d+):(?<column>\d+)| \(uncaught error\))$/,
    more: [/^error: (?<message>.+)$/],
    within: 3,
    needs: ["message"],
  },
  {
    source: "cargo test",
    begin: /^---- (?<code>\S.*?) stdout ----$/,
    more: [
      /^note: (?<message>test did not panic as expected) at (?<file>\S.*):(?<line>\d+):(?<column>\d+)$/,
      /^thread '.+' (?:\(\d+\) )?panicked at (?:'(?<message>.+)', )?(?<file>[^\s:][^:]*):(?<line>\d+):(?<column>\d+):?$/,
      /^(?<message>\S.*)$/,
    ],
    fileFirst: true,
    within: 200,
  },
  {
    source: "unittest",
    from: /^={70}$/,
    begin: /^(?:FAIL|ERROR|UNEXPECTED SUCCESS): (?<code>\S.*)$/,
    more: [PYTHON_FRAME, PYTHON_ERROR],
    to: /^Ran \d+ tests? in /,
    continues: /^(?:The above exception was the direct cause|During handling of the above exception)/,
    fileFirst: true,
    within: 200,
  },
  {
    source: "maven",
    from: /^\[ERROR\] (?:Failures|Errors): *$/,
    to: /^\[ERROR\] Tests run: /,
    // A Kotlin name has blanks; the name of an inherited test begins with two classes, as in `ChildTest>BaseTest.adds`.
    begin:
      /^\[ERROR\] (?:(?<title>[\w$]+(?:\.[\w$]+)+)| {2}(?<code>[\w$]+(?:>[\w$]+)?\.(?:(?:(?!->)[^:»])+(?=:\d| »)|[\w$]+(?:\[\S+\])?))(?:->[\w.$]+)?(?::(?<line>\d+)(?:->[^:]+:\d+)*)?(?: +(?<message>.*))?)$/,
    more: [
      // A test that ran more than once.
      /^\[ERROR\] {3}Run \d+: [^:»]+(?::(?<line>\d+))? *(?<message>.*)$/,
      /^(?!\[(?:ERROR|WARNING|INFO)\])\s*(?<message>\S.*)$/,
    ],
    within: 3,
  },
  {
    source: "dotnet test",
    begin: /^ {2}Failed (?<code>\S.*?) \[(?:< 1 ms|\d+ (?:h|m|s|ms)(?: \d+ (?:m|s|ms))*)\]$/,
    more: [/^ +at .+ in (?<file>\S.*):line (?<line>\d+)$/, /^ {3}(?!at )(?<message>\S.*)$/],
    within: 30,
  },
  {
    // On a terminal, since .NET 9. A test without a stack has the place of the targets.
    source: "dotnet test",
    begin:
      /^ *(?:\S.*?\.targets\(\d+,\d+\)|(?<file>\S.*?)\((?<line>\d+)\)): error TESTERROR: ?(?<message>.*)$/,
    more: [
      /^ {6}(?<code>\S.*?) \((?:< )?\d+(?:ms|s|m|h|d)(?: \d+(?:ms|s|m|h))*\): (?:Error Message: ?)?(?<message>.*)$/,
      /^ {6}(?<message>\S.*)$/,
    ],
    within: 1,
  },
  {
    source: "gradle",
    begin: /^(?<code>[^\s>].*? > .+) FAILED$/,
    more: [
      /^ {4}(?<message>(?:[\w$]+\.)*[A-Z][\w$]*) at (?<file>[\w$]+\.\w+):(?<line>\d+)$/,
      /^ {4}(?<message>(?:[\w$]+\.)*[A-Z][\w$]*(?:: .*)?)$/,
      /^ {8}at (?!org\.(?:junit|hamcrest|opentest4j|testng|assertj)|java\.|jdk\.|kotlin\.)[\w.$/@-]+\((?<file>[\w$]+\.\w+):(?<line>\d+)\)$/,
    ],
    within: 40,
    needs: ["message"],
  },
  {
    source: "junit",
    from: /^(?:Failures \(\d+\):|There (?:was|were) \d+ (?:failures?|errors?):)$/,
    begin: /^(?: {2}(?<title>JUnit [A-Z]\w+:.+)|\d+\) (?<code>\w+\([\w.$]+\)))$/,
    more: [
      /^ {4}=> (?<message>.+)$/,
      /^(?<message>[a-z][\w.$]*\.[A-Z][\w$]*(?:: .*)?)$/,
      /^\s+(?:at )?(?!org\.junit|java\.|jdk\.)[\w.$]+\((?<file>[\w$]+\.\w+):(?<line>\d+)\)$/,
    ],
    within: 30,
  },
  {
    source: "bats",
    begin: /^ ✗ (?<code>\S.*)$/,
    more: [
      /^ {3}\(.*in (?:test )?file (?<file>\S.*?), line (?<line>\d+)\)$/,
      /^ {5}(?<message>`.+' failed.*)$/,
    ],
    within: 10,
    needs: ["file"],
  },
  {
    source: "gtest",
    begin: /^(?:(?<file>[^\s:][^:]*):(?<line>\d+)|unknown file): Failure$/,
    more: [/^\[ {2}FAILED {2}\] (?<code>[\w./]+)/, /^(?<message>[^[\s].*)$/],
    joins: /^(?: {2}|Expected: )/,
    within: 20,
  },
  {
    source: "catch2",
    begin: /^(?<file>[^\s:][^:]*):(?<line>\d+): FAILED:$/,
    headAfter: /^-{70,}$/,
    head: /^(?!\S+:\d+$)(?<code>\S.*)$/,
    more: [/^ {2}(?<message>\S.*)$/],
    within: 4,
    needs: ["message"],
  },
  {
    source: "ctest",
    from: /^The following tests FAILED:$/,
    to: /^Errors while running CTest$/,
    begin: /^\s+\d+ - (?<code>\S.*) \((?<message>[^()]+)\)/,
  },
  {
    source: "minitest",
    from: /^(?: +\d+\) )?(?:Failure|Error):$/,
    to: /^(?: +\d+\) )?Skipped:$/,
    begin: /^(?<code>\S.*?#test_.*?)(?: \[(?<file>[^[\]]+):(?<line>\d+)\])?:$/,
    more: [
      /^ {4}(?!\S*\/(?:gems|ruby)\/)(?<file>\S+?\.rb):(?<line>\d+):in /,
      /^(?!--- expected|\+\+\+ actual|@@ )(?<message>\S.*)$/,
    ],
    within: 60,
    needs: ["message"],
  },
  {
    source: "rspec",
    from: /^Failures:$/,
    to: /^Finished in \d/,
    begin: /^ {2}\d+\) (?<code>\S.*)$/,
    more: [/^ {5}# (?!\S*\/(?:gems|ruby)\/)(?<file>\S+?\.rb):(?<line>\d+):in /, /^ {7}(?<message>\S.*)$/],
    joins: /^ {7,}got\b/,
    quotes: { from: /^ {5}Failure\/Error:/, to: /^\s*$/ },
    within: 100,
    needs: ["message"],
  },
  {
    source: "phpunit",
    from: /^There (?:was|were) \d+ (?:failures?|errors?):$/,
    // Other sections are of tests that are risky, incomplete or skipped.
    to: /^(?:Tests: \d+, |There (?:was|were) \d+ (?!failures?:|errors?:))/,
    begin: /^\d+\) (?<code>[\w\\]+::\w+(?: with data set .+)?)$/,
    more: [/^(?<file>\/\S.*\.php):(?<line>\d+)$/, /^(?<message>\S.*)$/],
    within: 100,
    needs: ["message"],
  },
  {
    source: "bun test",
    begin: /^(?:error: |(?=[A-Z]\w*(?:Error|Exception): ))(?<message>.+)$/,
    more: [FRAME, /^(?:\(fail\)|✗) (?<code>.+?)(?: \[[\d.]+m?s\])?$/],
    confirm: /^(?:\(fail\)|✗) /,
    within: 60,
    needs: ["file", "confirmed"],
  },
];

/** Formats of crashes, which count only if nothing else was found: test runners and loggers print stacks too. */
export const CRASHES: readonly ToolFormat[] = [
  {
    source: "python",
    begin: TRACEBACK,
    lastOf: PYTHON_FRAME,
    more: [PYTHON_ERROR],
    continues: /^(?:The above exception was the direct cause|During handling of the above exception)/,
    within: 500,
    needs: ["message"],
  },
  {
    // Without a traceback, which has it too.
    source: "python",
    to: TRACEBACK,
    again: PYTHON_ERROR,
    begin: /^ {2}File "(?<file>[^"]+)", line (?<line>\d+)$/,
    more: [/^(?<message>(?:Syntax|Indentation|Tab)Error: .+)$/],
    within: 4,
    needs: ["message"],
  },
  {
    ...NODE_CRASH,
    begin: /^(?:file:\/\/)?(?<file>\/[^:]+|\[(?:eval|stdin)\d*\]):(?<line>\d+)$/,
    more: [NODE_ERROR],
  },
  { ...NODE_CRASH, begin: /^(?:node:[\w/-]+|<anonymous_script>):\d+$/, more: [NODE_ERROR, FRAME] },
  {
    source: "deno",
    begin: /^error: Uncaught (?:\(in promise\) )?(?<message>.+)$/,
    more: [FRAME],
    within: 20,
    needs: ["file"],
  },
  {
    source: "java",
    begin: /^Exception in thread "[^"]+" (?<message>[a-z][\w.$]*[A-Z].*)$/,
    more: [/^\tat [\w.$/@-]+\((?<file>[\w$]+\.\w+):(?<line>\d+)\)$/],
    within: 3,
  },
  {
    source: "rust",
    begin: /^thread '.+' (?:\(\d+\) )?panicked at (?<file>[^\s:][^:]*):(?<line>\d+):(?<column>\d+):$/,
    more: [/^(?<message>\S.*)$/],
    within: 1,
    needs: ["message"],
  },
  {
    source: "go",
    begin: /^(?<message>panic: .+)$/,
    more: [/^\t(?!.*\/go\/src\/|_testmain\.go:)(?<file>\S.*\.go):(?<line>\d+) \+0x[0-9a-f]+$/],
    confirm: /^exit status 2$/,
    within: 60,
    needs: ["file"],
  },
];
