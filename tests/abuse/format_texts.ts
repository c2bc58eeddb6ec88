// Formats at random: of tmux's grammar, with what makes it slow put in more often than anybody would.

/** A number from 0 up to and without this one. */
export type Below = (limit: number) => number;

const VARIABLES = (
  "pane_title pane_id session_name window_name pane_current_path pane_current_command pane_path history_size " +
  "history_bytes history_all_bytes window_layout window_linked_sessions_list session_group_list pane_tabs " +
  "window_active_clients_list host version client_activity client_created buffer_created session_created @long TERM buffer_sample client_name copy_cursor_line pane_start_command"
).split(" ");
const WORDS = [
  "a",
  "x",
  "aaaaaaaaaa",
  "%H:%M",
  "é漢",
  "a\u0378",
  "\u{1FAE9}b",
  " ",
  "[",
  "*",
  "##",
  "#,",
  "/",
  "\\1",
  "a{1,255}",
];
const NUMBERS = ["0", "1", "-5", "80", "500", "999", "1000", "1001", "65536", "2000000000", "-2147483648"];
const REGEXES = [
  "a",
  "x*y",
  "x*x*y",
  "^a",
  "(x|xx)*y",
  ".*.*y",
  "a|b|c",
  "[a-z]+y$",
  "(a{1,255}){1,255}",
  "(a)\\1",
  "(x*)*y",
  ".?.?y",
];
const GLOBS = ["*x*", "*a*a*a*b", "*x*x*x*x*y", "[a-z]*y", "?*?*y", "*"];
const LOOPS = ["S", "W", "P", "L"];
const PLAIN = ["b", "d", "n", "w", "q", "t", "t/p", "t/f/%H%M/", "l", "a", "c", "!", "!!", "q/h", "E", "T"];
const COMPARISONS = [
  "==",
  "!=",
  "<",
  ">",
  "<=",
  ">=",
  "&&",
  "||",
  "e|+|",
  "e|/|f|4",
  "e|m|",
  "e|/|f|2000000000",
];

/** A format; about half of them are within bounds. */
export function randomFormat(below: Below): string {
  const pick = <T>(values: readonly T[]): T => values[below(values.length)]!;
  const template = (depth: number): string =>
    Array.from({ length: 1 + below(3) }, () => below(4) === 0 ? pick(WORDS) : expression(depth)).join("");
  const body = (depth: number): string => below(2) === 0 ? pick(VARIABLES) : template(depth);
  const expression = (depth: number): string => {
    if (depth === 0) return `#{${pick(VARIABLES)}}`;
    const inner = depth - 1;
    switch (below(10)) {
      case 0:
        return `#{${pick(LOOPS)}:${template(inner)}${below(3) === 0 ? `,${template(inner)}` : ""}}`;
      case 1:
        return `#{s/${pick(REGEXES)}/${pick(WORDS)}/:${body(inner)}}`;
      case 2:
        return `#{m/r:${pick(REGEXES)},${template(inner)}}`;
      case 3:
        return `#{m:${pick(GLOBS)},${template(inner)}}`;
      case 4:
        return `#{${pick(["=", "=/", "p", "p/"])}${pick(NUMBERS)}:${body(inner)}}`;
      case 5:
        return `#{${pick(COMPARISONS)}:${template(inner)},${template(inner)}}`;
      case 6:
        return `#{?${body(inner)},${template(inner)},${template(inner)}}`;
      case 7:
        return `#{${pick(["C", "C/r"])}:${pick([...GLOBS, ...REGEXES])}}`;
      case 8:
        return `#{${pick(PLAIN)};${pick(PLAIN)}:${body(inner)}}`;
      default:
        return `#{${pick(PLAIN)}:${body(inner)}}`;
    }
  };
  return template(1 + below(5));
}
