// The last prompt of the program in each pane: a question without text of its own (`x = input()`) hides it.

/** A process; its pid may be used again. */
interface ReplProgram {
  pid: number;
  startTime: string | undefined;
}

export class LastPrompts {
  readonly #byPane: Map<string, ReplProgram & { prompt: string }> = new Map();

  /** Returns the last prompt that had text, if the pane's program is the same as then. */
  find(pane: string, { pid, startTime }: ReplProgram): string | undefined {
    const last = this.#byPane.get(pane);
    return last?.pid === pid && last.startTime === startTime ? last.prompt : undefined;
  }

  /** Notes the prompts of a pane's program, in their order. */
  note(pane: string, program: ReplProgram, prompts: readonly string[]): void {
    const prompt = prompts.findLast((each) => each.trim() !== "") ?? this.find(pane, program);
    if (prompt === undefined) this.#byPane.delete(pane);
    else this.#byPane.set(pane, { ...program, prompt });
  }
}
