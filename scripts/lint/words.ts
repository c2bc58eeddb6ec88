// Lint plugin for English: finds words that read as translated in comments, sentences in strings, and names.
import { findInComment, type Finding, findInName, findTelltales } from "./telltales.ts";

/** A comment in the linter's form. */
interface SourceComment {
  range: Deno.lint.Range;
  value: string;
}

/** Pattern of a sentence; strings with fewer words are names and data. */
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
        const isTest = /[\\/]tests[\\/]/.test(context.filename);
        const checkName = (name: string, range: Deno.lint.Range): void => {
          if (!isTest) report(context, range, findInName(name));
        };
        const checkString = (text: string, range: Deno.lint.Range): void => {
          if (SENTENCE.test(text)) report(context, range, findTelltales(text));
        };
        return {
          Program() {
            const source = context.sourceCode as unknown as { getAllComments(): SourceComment[] };
            for (const { value, range } of source.getAllComments()) {
              report(context, range, findInComment(value));
            }
          },
          Identifier({ name, range }) {
            checkName(name, range);
          },
          PrivateIdentifier({ name, range }) {
            checkName(name, range);
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
