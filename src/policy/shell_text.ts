// Checks the contents of a call that can reach a shell: formats, variables, commands, keys.
import { isObject } from "../json.ts";
import { paneKey } from "../tmux/server_key.ts";
import type { ShellText } from "../tool.ts";
import { hasOtherSyntax, type ShellKind, shellKind } from "../shell/shell_kind.ts";
import type { DecisionContext } from "./decision_context.ts";
import { denial } from "./denial.ts";
import { checkFormat } from "./formats.ts";
import { SWITCH_KEYS } from "./switches.ts";
import { ANYWHERE, type EndTyping, type TypedPrompt } from "./typed_lines.ts";
import { changingPart, type TypedPiece } from "./typing.ts";

const FILTER = "security.command_filter";

/**
 * Checks them as far as settings alone decide.
 * @throws {AppError} `denied`
 */
export function checkTexts(context: DecisionContext): void {
  const texts = textsOf(context);
  checkExecution(texts, context);
  if (context.policy.filter.active) checkFiltered(texts, context);
  checkFormats(texts, context);
}

/**
 * Checks them; nothing may be refused afterwards, since a call's typing has then begun.
 * @returns The end of that typing
 * @throws {AppError} `denied` for text that the command filter stops or can't track
 */
export async function checkShellText(context: DecisionContext): Promise<EndTyping> {
  if (!context.policy.filter.active) return () => {};
  const texts = textsOf(context);
  for (const { kind, text } of texts) {
    if (kind === "command" || kind === "line") {
      await context.policy.filter.checkCommand(text, await shellOf(context));
    }
  }
  return texts.some(isTyped) ? await beginTyping(texts, context) : await beginCommands(texts, context);
}

function checkFiltered(texts: readonly ShellText[], { call, effect, policy }: DecisionContext): void {
  const { name, shellText } = call.declaration;
  if (effect === "input" && shellText === undefined) {
    throw denial(`Cannot call ${name}`, `${FILTER} can't check what it types`);
  }
  if (texts.some(isTyped) && policy.settings.filterRawInput === "refuse") {
    const hint = "Use execute-command, whose text the filter can read";
    throw denial(`Cannot type with ${name}`, `${FILTER}.raw_input = "refuse"`, hint);
  }
  for (const text of texts) checkText(text, { call, policy });
}

function checkFormats(texts: readonly ShellText[], { policy, targets }: DecisionContext): void {
  const { allowCapture: contents, allowList: lists } = policy.settings;
  const { limited: scoped, listsPanes: listed } = policy.scope;
  const bounds = { scoped, listed, contents, lists };
  const pane = targets.some(({ kind }) => kind === "pane");
  for (const { kind, text } of texts) {
    if (kind === "format") checkFormat(text, { ...bounds, pane, session: true, jobs: false });
    // Jobs in an option's value count as typing into an unknown pane.
    if (kind === "shown" || kind === "name") {
      checkFormat(text, { ...bounds, pane: true, session: kind === "shown", jobs: true });
    }
  }
}

/** Texts that the tool declares, and texts that any tool with these parameters would run. */
function textsOf({ call }: DecisionContext): ShellText[] {
  const { declaration, args } = call;
  const typed = args["rawMode"] === true || args["noEnter"] === true;
  const asked = declaration.shellText?.(args) ?? [];
  const declared = typed ? asked.map((text) => asTyped(text, args["noEnter"] === true)) : asked;
  const command = args["command"];
  const environment = args["environment"];
  const undeclared = typeof command === "string" && declared.length === 0;
  const names = isObject(environment) ? Object.keys(environment) : [];
  return [
    ...declared,
    ...undeclared ? [{ kind: "command", text: command } as const] : [],
    ...names.map((text) => ({ kind: "variable", text }) as const),
  ];
}

/** A command that is typed as it is goes through the line editor like keys. */
function asTyped({ kind, text }: ShellText, unsent: boolean): ShellText {
  return kind === "command" ? { kind: "bytes", text: unsent ? text : `${text}\r` } : { kind, text };
}

/** Checks `allow_execute_command`, which also covers options that run commands. */
function checkExecution(texts: readonly ShellText[], { call, policy }: DecisionContext): void {
  // A shell, or a program it starts, might run the value of any variable.
  const runs = texts.some(({ kind }) => kind === "command" || kind === "line" || kind === "variable") ||
    call.declaration.groups.includes("options") && texts.some(({ kind }) => kind === "opaque");
  if (!runs || policy.settings.allowExecuteCommand) return;
  const what = `Cannot run a command with ${call.declaration.name}`;
  throw denial(what, `${SWITCH_KEYS.allowExecuteCommand} = false`);
}

/** Checks all but commands, which depend on the shell. */
function checkText(
  { kind, text }: ShellText,
  { call, policy }: Pick<DecisionContext, "call" | "policy">,
): void {
  if (kind === "variable") policy.filter.checkVariable(text);
  const part = kind === "line" ? changingPart(text) : undefined;
  if (part !== undefined) {
    const hint = "Leave that line out, and run it with execute-command once the pane is there";
    throw denial(`Cannot type ${part} in a line`, `${FILTER} can't check what a shell makes of it`, hint);
  }
  if (kind === "opaque") {
    const what = `Cannot call ${call.declaration.name} with these arguments`;
    throw denial(what, `${FILTER} can't check what it runs`);
  }
}

/** Keeps typing away from where a call's commands are typed: keys that are not sent yet would be part of them. */
async function beginCommands(
  texts: readonly ShellText[],
  { policy, call, effect, targets }: DecisionContext,
): Promise<EndTyping> {
  if (policy.settings.filterRawInput === "refuse") return () => {};
  if (texts.some(({ kind }) => kind === "line")) return policy.typed.beginCommands([ANYWHERE]);
  if (effect !== "input" || !texts.some(({ kind }) => kind === "command")) return () => {};
  const { serverKey, panes } = await call.live.snapshot();
  const into = panes.filter(({ paneId }) => targets.some((to) => to.kind === "pane" && to.id === paneId));
  const keys = into.map(({ paneId, pid }) => promptKey(serverKey, paneId, pid));
  return policy.typed.beginCommands([...new Set(keys)]);
}

function promptKey(serverKey: string, paneId: string, pid: number): string {
  return `${paneKey(serverKey, paneId)} ${pid}`;
}

async function beginTyping(texts: readonly ShellText[], context: DecisionContext): Promise<EndTyping> {
  const pieces = texts.filter(isTyped);
  const { policy, call, targets, preconditions } = context;
  const snapshot = await call.live.snapshot();
  const prompts: TypedPrompt[] = [];
  for (const paneId of targets.flatMap((target) => target.kind === "pane" ? [target.id] : [])) {
    const shell = await call.live.shellOf(paneId);
    const pane = snapshot.panes.find((row) => row.paneId === paneId);
    if (shell === undefined || pane === undefined || pane.synchronized) {
      const setting = `${FILTER}.raw_input = "track" follows one shell at its prompt`;
      throw denial(`Cannot follow what is typed into pane "${paneId}"`, setting);
    }
    checkSyntax(shell, context);
    const { pid } = pane;
    // Another program in the pane has nothing of the line.
    preconditions.push({ kind: "pane", id: paneId, pid });
    prompts.push({ paneId, key: promptKey(snapshot.serverKey, paneId, pid), shell: shellKind(shell) });
  }
  return await policy.typed.beginTyping(pieces, prompts);
}

function isTyped(text: ShellText): text is TypedPiece {
  return text.kind === "keys" || text.kind === "bytes" || text.kind === "paste";
}

/**
 * The shell that will read the text, if the call types into one pane; a new pane's shell may start another before the
 * text is typed.
 */
async function shellOf(context: DecisionContext): Promise<ShellKind> {
  const { call, effect, targets } = context;
  const pane = effect === "input" ? targets.find((target) => target.kind === "pane") : undefined;
  const shell = await (pane === undefined ? call.live.newShell() : call.live.shellOf(pane.id));
  checkSyntax(shell, context);
  return pane === undefined ? "unknown" : shellKind(shell);
}

function checkSyntax(shell: string | undefined, { policy }: DecisionContext): void {
  if (shell === undefined || !hasOtherSyntax(shell)) return;
  const setting = `${FILTER}.mode = "${policy.settings.filterMode}"`;
  const hint = "Use a pane that runs bash, zsh, fish or sh; new panes run tmux's default-shell";
  throw denial(`Cannot tell how ${shell} reads a command`, setting, hint);
}
