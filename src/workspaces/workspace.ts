// Workspace as read: every key resolved, every default and inherited value in its place.

/** A command as it is typed. */
export interface TypedLine {
  text: string;
  /** Press Enter behind it. */
  enter: boolean;
  /** Seconds. */
  sleepBefore: number;
  sleepAfter: number;
}

/** Condition that makes a pane ready: one of the two. */
export interface Readiness {
  pattern?: string;
  port?: number;
  /** Seconds. */
  timeout?: number;
}

export interface DescribedPane {
  /** Path in the description: `windows[0].panes[1]`. */
  where: string;
  startDirectory?: string;
  environment?: Record<string, string>;
  /** Shell text that runs instead of a shell. */
  shell?: string;
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
  where: string;
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
