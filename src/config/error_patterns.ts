// Default patterns of the `error` trigger.

const { raw } = String;

/** Time at the start of a line, such as `10:00AM `, which a level follows. */
const TIME = raw`\[?[\d.,T+/ -]*\d:\d\d[\d:.,Z+ -]*(?:[AP]M)? \[?`;

/** Start of a line, also behind the name of a container. */
const START = raw`(?:^|\| )`;

/** Lines that report a failure. */
const ERRORS: readonly string[] = [
  // `error:`, `[ERROR]`, `error[E0425]`, `npm ERR!`, and words in any case; `FAIL` and `FAILURE` only in capitals.
  raw`(?i:\berror(?:[:\s\[\]]|$))|\bnpm ERR!`,
  raw`(?i:\b(?:traceback|fatal|panic(?:ked)?|exception|failed)\b)|\bFAIL(?:URE)?\b`,
  // `ValueError:`, with a code as node prints it, and exceptions in brackets, as of Ruby and Elixir.
  raw`\b\w*(?:Error|Exception)(?:\s*$|(?: \[[A-Z_]+\])?:)`,
  raw` \([\w:]*(?:Error|Exception)\)$|${START} *\*\* \([\w.]+\) `,
  // Levels: Celery, logrus, zerolog and Serilog.
  raw`: ERROR/\w|\b(?:ERRO|FATA|PANI)\[\d|${START}${TIME}(?:ERR|FTL|PNC)\b`,
  // nginx, gunicorn, Python and Java.
  raw`(?i:\[(?:crit(?:ical)?|alert|emerg|severe) *\])`,
  raw`(?:${START}|\d )(?:CRITICAL|SEVERE)(?:: ?[^\d\s]| \[)|[-|] CRITICAL +[-|] \D`,
  // NLog, Monolog and Tornado.
  raw`\|ERROR\||\] \w+\.(?:CRITICAL|ALERT|EMERGENCY): |${START}\[[EC] \d`,
  // .NET, glog, apt, MongoDB.
  raw`${START}(?:(?:fail|crit): [\w.]+\[\d+\]|[EF]\d{4} \d\d:\d\d:\d\d\.\d|E: \w)|"s":"[EF]","c":"`,
];

/** RE2 pattern of lines that report a failure. */
export const ERROR_PATTERN = `(?m)${ERRORS.join("|")}`;

const FAILURE = "(?:errors?|failed|failures?|exceptions?|fatal|panics?)";

/** Lines that say themselves that they aren't a failure. */
const HARMLESS_LINES: readonly string[] = [
  // A log level: npm, pip, compilers, logfmt, JSON, and most loggers after their timestamp.
  raw`^\s*npm (?:warn|notice|info|http|verb)\b.*`,
  // `UserWarning:` and the like are Python's and Node's.
  raw`(?:^|[\s:])\w*warning(?:\[\w+\])?: .*`,
  raw`^[\[\]()\d\sTZ:.,/+-]*[\[(<]?(?:info|debug|trace|notice|warn(?:ing)?|verbose)(?:[\])>]:?|[:/\s]).*`,
  // The same after the name of a thread or a logger, as Logback and Python's logging write it.
  raw`^[\[\]()\sTZ:.,/+-]*\d[\[\]()\d\sTZ:.,/+-]*(?:[\[{][^\]}]*[\]}]\s+|[\w.$-]+ -\s+|\|-)` +
  raw`(?-i:INFO|DEBUG|TRACE|NOTICE|WARN(?:ING)?)\b.*`,
  // The letters of Kubernetes' and Ruby's loggers.
  raw`^(?-i:[DIW])(?:\d{4} \d\d:\d\d:\d\d\.\d+ |, \[[^\]]*\] ).*`,
  raw`\b(?:level|severity|lvl)"?[=:]\s?"?(?:info|debug|trace|notice|warn(?:ing)?)\b.*`,
  // The short levels of zerolog and Serilog, and of logrus.
  raw`^${TIME}(?-i:INF|DBG|WRN|TRC|VRB)\b.*|\b(?-i:INFO|DEBU|WARN|TRAC)\[\d.*`,
  // Loguru and NLog, Monolog, Tornado.
  raw`\|\s?(?-i:TRACE|DEBUG|INFO|SUCCESS|WARN|WARNING)\s*\|.*|^\[[^\]]*\] \w+\.(?-i:DEBUG|INFO|NOTICE|WARNING): .*`,
  raw`^\[(?-i:[DIW]) \d.*`,
  // MySQL, NestJS, TensorFlow, MongoDB.
  raw`^[\d\sTZ:.+-]*\[note\].*|^\[nest\] .* (?-i:LOG|DEBUG|VERBOSE|WARN) \[.*|^[\d\s:.-]+: (?-i:[IW]) .*|"s":"[iwd]\d?","c":.*`,
  // The numbers that pino and bunyan write for these levels.
  raw`"level":[1-4]0,"(?:time|msg)":.*`,
  // A test that begins or passed, whatever it is called.
  raw`^\s*(?:✓|✔|√|◇ (?:test|suite) |↓|○ skipped |▶|﹣|# subtest: |\((?:pass|skip|todo)\) |ok \d+\b|--- (?:PASS|SKIP):|=== (?:RUN|PAUSE|CONT|NAME)\b|\[\s*(?:OK|RUN)\s*\]|start +\d+:).*`,
  raw`^\s*(?:ok\s+\S+\s+(?:[\d.]+s|\(cached\))|\d+/\d+ test +#\d+: .* passed\s).*`,
  raw`^\s*(?-i:PASS)\b.*`,
  raw`^\[gw\d+\] \[\s*\d+%\] (?-i:PASSED)\b.*`,
  raw`^\s*(?-i:Passed) .*\[[^\]]*\]$|^\s*\* .*\[l#\d+\]$|^\S.* > .*(?-i:SKIPPED|STARTED)$`,
  raw`^\s*(?:(?:- +)?\d+|\[\d+/\d+\]) .*:\d+:\d+ › .*`,
  // A heading of Ansible, a check of configure.
  raw`^(?:play|task|running handler) \[.*\] \*+$|^checking .*\.\.\. (?:\(cached\) )?(?:yes|no|none)\b(?: \([^()]*\))?$`,
  // Source that a compiler quotes, and modules that GHC compiles.
  raw`^[\s>]*\d+ +\| .*`,
  raw`^\[\s*\d+ of \d+\] compiling .*`,
  // A check of CMake.
  raw`^-- (?:looking for .*|.* - failed)$`,
  raw`.*(?:\.\.\. (?:ok|ignored)(?: \([^()]*\))?|(?-i:\bPASSED\b)(?:\s*\[\s*\d+%\])?|\[ok\]|[✓✔]|\| pass \|)\s*$`,
];

/** Parts of a line that mention a failure without reporting one. */
const HARMLESS_PARTS: readonly string[] = [
  // Counts of zero.
  raw`(?:^|[\s,;:(])(?:0|no|zero|none|without(?: any)?) (?:\w+ )?${FAILURE}\b`,
  raw`\b0\s?(?:/|of|out of)\s?\d+ (?:\w+ )?failed\b`,
  raw`\b(?:errors|failures|failed|exceptions|fatal)(?: count| \w+s)?\s*[:=]\s*(?:0|none|null|false)(?:\s|$|[,;)|\]]|\.\s|\.$)`,
  raw`\berror(?: count)?\s*[:=]\s*(?:0|none|null|false)\s*(?:$|[,;)|\]])`,
  raw`\b(?:failed|error) 0(?:\s|$|[,;.)|])`,
  // Names of paths, addresses, files, options, packages, and of things that handle failures.
  raw`\b\w+://\S*|(?:^|[\s"'(=])[~.]{0,2}/[^\s:]*|[\w.@~%+-]+(?:/[\w.@~%+-]+){2,}`,
  raw`\b[\w-]+\.(?:log|txt|md|html?|css|json|ya?ml|toml|xml|tsx?|jsx?|mjs|py|rb|go|rs|java|kt|php|c|h|cc|cpp|hpp|cs|swift|sh|so|o|out|tmpl)\b`,
  raw`(?:^|\s)--?[\w-]+(?:=\S*|:[+-]\S+)?`,
  raw`\b[a-z]\w*(?:\.[\w-]+)*\.(?:exception|error|failed)\.[\w.-]+ ?=`,
  raw`\b(?:exception|fatal|failed|panic|traceback)[-@]\w[\w.-]*|\b(?:\w+-)+(?:exception|fatal|panic|traceback)\b`,
  raw`\b(?:\w+-)+error\s+(?:v?\d|x86_64|aarch64|noarch|\S+::)`,
  raw`\b(?:collecting|satisfied:|installing|upgrading|fetching|pouring|dependency:) (?:\w+-)+error\b`,
  raw`\b(?:stop|exit|continue|abort|break|resume)?[ -]?on[- ]error\b`,
  raw`\bpanic\s*=`,
  raw`\b(?:errors?|exceptions?|panic|fatal) (?:handlers?|boundar(?:y|ies)|filters?|mappers?|pages?|templates?|logs?|loggers?|trackers?|reporters?|collectors?|middlewares?|rates?|budgets?|messages?|types?|class(?:es)?|codes?:? 0)\b`,
  raw`\b(?:errors?|exceptions?|panic) (?:handling|reporting|tracking|monitoring|logging|recovery|correction)` +
  raw`(?:\s*$|[.,;:)]|\s+(?:middlewares?|modules?|is|was|on|off|to|via|with|for|enabled|disabled|active|ready|loaded|initiali[sz]ed|configured|registered|installed|started|services?|system|plugins?|library|tests?)\b)`,
  // Words about an error that was fixed, or is only mentioned.
  raw`\b(?:fix|fixe[sd]|fixing|resolve[sd]|prevent(?:s|ed)|avoid(?:s|ed)|handle[sd]|recovered from)(?:\([^)]*\))?!?:? (?:\w+ ){0,3}?(?:errors?|exceptions?|fatal|panics?)\b`,
  raw`\b(?:fatal|error|panic|exception) (?:\w+ )?\(?(?:fixed|resolved|handled|ignored)\b`,
  raw`\b(?:not|isn't|never|no longer|non)[- ](?:an? |considered )?${FAILURE}\b`,
  raw`\b(?:if|when|whenever|in case of|case of|upon) (?:an? |any |the )?(?:\w+ )?(?:error|exception|panic)\b`,
  raw`\bfail-?safe\b`,
  // Warnings of ASP.NET and SLF4J that most programs begin with.
  raw`\bfailed to determine the https port\b|\bslf4j: failed to load class\b`,
  // Notes of pam_lastlog at a login, the key that jest and vitest offer, the head of newman's table.
  raw`\b(?:last|\d+) failed login(?: attempts?)?\b`,
  raw`run only failed\b`,
  raw`\bexecuted\s+│\s+failed\b`,
  // Source code.
  raw`\berror::`,
  raw`\b(?-i:import|except|extends|throws) (?:[\w.]+\.)?(?-i:\w*(?:Error|Exception))\b:?`,
];

/** RE2 pattern of text that only sounds like a failure. Its matches are removed before `ERROR_PATTERN` is tried. */
export const ERROR_IGNORE_PATTERN = `(?mi)${[...HARMLESS_LINES, ...HARMLESS_PARTS].join("|")}`;
