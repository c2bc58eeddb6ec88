// Lint of English: words that read as translated, in comments and in strings that are sentences.
import { findInComment, type Finding, findTelltales } from "./telltales.ts";

/** A comment as the linter hands it over. */
interface SourceComment {
  range: Deno.lint.Range;
  value: string;
}

/** Strings of fewer words are names and data. */
const SENTENCE = /\S+\s+\S+\s+\S+/;

function report(context: Deno.lint.RuleContext, range: Deno.lint.Range, findings: readonly Finding[]): void {
  for (const { text, instead } of findings) {
    context.report({ range, message: `"${text}" reads as translated: write ${instead}` });
  }
}

export default {
  name: "words",
  rules: {
    english: {
      create(context) {
        const checkString = (text: string, range: Deno.lint.Range): void => {
          if (SENTENCE.test(text)) report(context, range, findTelltales(text));
        };
        return {
          Program() {
            const source = context.sourceCode as unknown as { getAllComments(): SourceComment[] };
            const of = /[\\/]tests[\\/]/.test(context.filename) ? "test" : "program";
            for (const { value, range } of source.getAllComments()) {
              report(context, range, findInComment(value, of));
            }
          },
          Literal({ value, range }) {
            if (typeof value === "string") checkString(value, range);
          },
          TemplateElement({ cooked, range }) {
            checkString(cooked, range);
          },
        };
      },
    },
  },
} satisfies Deno.lint.Plugin;
