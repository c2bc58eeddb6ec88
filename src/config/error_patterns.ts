// What the `error` trigger looks for unless told otherwise.

/**
 * RE2. Lines that report a failure: `error:`, `error[E0425]`, `ValueError:`, `npm ERR!`, and words like fatal or failed
 * whatever their case; `FAIL` only in capitals.
 */
export const ERROR_PATTERN = String.raw`(?m)(?i:\berror(?:[:\s\[]|$))` +
  String.raw`|\b\w*(?:Error|Exception):` +
  String.raw`|\bnpm ERR!` +
  String.raw`|(?i:\b(?:traceback|fatal|panic(?:ked)?|exception|failed)\b)` +
  String.raw`|\bFAIL\b`;

/** RE2. What only sounds like a failure. Its matches are taken out of the text before `ERROR_PATTERN` is tried. */
export const ERROR_IGNORE_PATTERN = String
  .raw`(?mi)(?:^|[\s,;:(=])(?:0|no|zero|without(?: any)?) (?:tests? )?(?:errors?|failed|failures?|exceptions?)\b` +
  String.raw`|\b(?:errors|failures|failed)\s*[:=]\s*0\s*(?:$|[,;.)|])` +
  String.raw`|\bfail-?safe\b`;
