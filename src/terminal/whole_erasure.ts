// Fixes erasing the whole screen from its last cell, where xterm fails.
import type { IFunctionIdentifier, Terminal } from "@xterm/headless";

/** Private parts of xterm. */
interface Internals {
  readonly _core: {
    readonly _inputHandler: {
      readonly _activeBuffer: { readonly x: number; readonly y: number };
      eraseInDisplay(params: { params: number[] }, respectProtect: boolean): boolean;
    };
  };
}

/** ED: 1 erases up to the cursor, 2 everything. */
const UP_TO_CURSOR = 1;
const EVERYTHING = 2;

/**
 * With the cursor in the last cell, `CSI 1 J` erases everything. xterm then looks at the row below the last
 * one, and throws because there is no such row.
 */
export function eraseFromLastCell(terminal: Terminal): void {
  const input = (terminal as unknown as Internals)._core._inputHandler;
  const isLastCell = (): boolean => {
    const { x, y } = input._activeBuffer;
    return y + 1 >= terminal.rows && x + 1 >= terminal.cols;
  };
  const on = (id: IFunctionIdentifier, respectProtect: boolean) =>
    terminal.parser.registerCsiHandler(id, ([what]) =>
      what === UP_TO_CURSOR && isLastCell() &&
      input.eraseInDisplay({ params: [EVERYTHING] }, respectProtect));
  on({ final: "J" }, false);
  on({ prefix: "?", final: "J" }, true);
}
