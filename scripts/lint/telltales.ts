// Words that make English read as translated, with plain ones to write instead.

interface Telltale {
  pattern: RegExp;
  instead: string;
}

const TELLTALES: readonly Telltale[] = [
  { pattern: /\banew\b/i, instead: "again" },
  { pattern: /\bmend(?:s|ed|ing)?\b/i, instead: "fix" },
  { pattern: /\bwhom\b/i, instead: "a sentence whose subject comes first" },
  { pattern: /\bbesides\b/i, instead: "also, as well as, or other than" },
  { pattern: /\bfor good\b/i, instead: "permanently, or forever" },
  { pattern: /\bnobody can tell\b/i, instead: "where it is unknown" },
  { pattern: /\bbelongs? into\b/i, instead: "belongs in, or belongs to" },
  { pattern: /\banswers for\b/i, instead: "is responsible for, or reports on" },
  { pattern: /\bhand(?:s|ed|ing)? on\b/i, instead: "pass on" },
  {
    pattern: /\b(?:stands?|prints?|printed|typed|words|reads? on) behind\b/i,
    instead: "follows, or comes after",
  },
  { pattern: /\b(?:takes?|took|taken) back\b/i, instead: "undo, remove or withdraw" },
  { pattern: /\b(?:tells?|told) so\b/i, instead: "says so, or reports it" },
  { pattern: /\bthe kernel's word\b/i, instead: "the kernel reports" },
  { pattern: /\b(?:is|are) told\b/i, instead: "reports, receives or learns, with a subject that does it" },
  { pattern: /(?<!\bthere )\b(?:is|are) none\b/i, instead: "is not one, or has none" },
  {
    pattern: /\bgo(?:es)? on(?= (?:with|by|when|while|until|after|copying|printing)\b|[.,:;]|$)/,
    instead: "continues, or keeps running",
  },
  {
    pattern: /\banswers (?:the|its|an?|what|whether|where|how)\b/i,
    instead: "returns, or says",
  },
  {
    pattern: /(?:^|[.;:]\s+)(?:Of (?:an?|the)|That an?|Who|Whom)\b(?![^.]*\?)/,
    instead: "a sentence that begins with its subject",
  },
];

/** Forbidden beginnings of a comment, which must open with a noun phrase or a verb. */
const OPENINGS: readonly Telltale[] = [
  {
    pattern: /^(?:\*\s*)*(?:What|Where|Who|Of)\b(?![^]*\?)/,
    instead: "a noun phrase: Place of …, Output of …, Fields that …",
  },
  { pattern: /^(?:\*\s*)*As `/, instead: "Does the same as …" },
  { pattern: /^(?:\*\s*)*(?:Absent|Undefined) where\b/, instead: "Absent if …, or Undefined if …" },
  { pattern: /^(?:\*\s*)*Whether\b/, instead: "True if …, or Checks that …" },
  { pattern: /^(?:\*\s*)*How (?:long|many|much|often)\b/, instead: "Time …, Number of … or Interval …" },
  { pattern: /^\*\s*(?:\*\s*)?(?:Answers|Tells)\b/, instead: "Returns …" },
];

/** A forbidden word in a text, with its replacement. */
export interface Finding {
  text: string;
  instead: string;
  at: number;
}

/** Forbidden names, which stood for four things: a callback, a message, a sent value, an end. */
const NAMES: readonly Telltale[] = [
  { pattern: /^(?:told|tells?)$/, instead: "report, reported, or what it is" },
];

function find(text: string, among: readonly Telltale[]): Finding[] {
  return among.flatMap(({ pattern, instead }) => {
    const match = pattern.exec(text);
    return match === null ? [] : [{ text: match[0].trim(), instead, at: match.index }];
  });
}

/** Finds telltale words in prose: a page, an error, a test's title. */
export function findTelltales(text: string): Finding[] {
  return find(text, TELLTALES);
}

/** Finds telltale words in a comment without its slashes; `*` begins a documentation comment. */
export function findInComment(comment: string): Finding[] {
  const prose = comment.replaceAll(/^\s*\*+[ \t]?/gm, "").trim();
  return [...find(comment.trimStart(), OPENINGS), ...findTelltales(prose)];
}

/** Finds telltale words among names of variables, parameters and members. */
export function findInName(name: string): Finding[] {
  return find(name, NAMES);
}
