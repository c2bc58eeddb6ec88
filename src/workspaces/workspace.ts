// A workspace after reading: every key is resolved, with defaults and inherited values.

export interface TypedLine {
  text: string;
  /** Press Enter after it. */
  enter: boolean;
  /** Seconds. */
  sleepBefore: number;
  sleepAfter: number;
}

/** Condition that makes a pane ready: a pattern or a port. */
export interface Readiness {
  pattern?: string;
  port?: number;
  /** Seconds. */
  timeout?: number;
}

/** Shell text that runs instead of a shell. */
export interface DescribedShell {
  /** Its key in the description: `windows[0].window_shell`. */
  where: string;
  command: string;
}

export interface DescribedPane {
  /** Path in the description: `windows[0].panes[1]`. */
  where: string;
  startDirectory?: string;
  environment?: Record<string, string>;
  shell?: DescribedShell;
  focus: boolean;
  lines: TypedLine[];
  suppressHistory: boolean;
  ready?: Readiness;
}

export interface DescribedOption {
  where: string;
  option: string;
  value: string;
}

export interface DescribedWindow {
  name?: string;
  index?: number;
  layout?: string;
  focus: boolean;
  options: DescribedOption[];
  optionsAfter: DescribedOption[];
  panes: DescribedPane[];
}

export interface DescribedSession {
  name: string;
  startDirectory?: string;
  environment: Record<string, string>;
  options: DescribedOption[];
  globalOptions: DescribedOption[];
  beforeScript?: string;
  windows: DescribedWindow[];
}
