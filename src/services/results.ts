// Results of calls about services.
import type { ListeningPort } from "../process/listening.ts";
import type { WatchResult } from "../watch/inbox.ts";
import type { ServiceProgram } from "./outliving_programs.ts";

/** Result of `ensure`; without fields of a watch if the service was already running. */
export interface EnsuredService
  extends Partial<Omit<WatchResult, "paneId" | "paneState" | "totalLines" | "totalBytes">> {
  paneId: string;
  service: string;
  status: "started" | "already-running" | "restarted";
  ready?: boolean;
  ports: ListeningPort[];
  reason?: "ended" | "changed" | "asked";
}

export interface StoppedService {
  /** False if there is no such service, or one of its programs keeps running without the pane. */
  stopped: boolean;
  paneId?: string;
  /** True if Ctrl-C was not enough to end it. */
  forced?: true;
  stillRunning?: ServiceProgram[];
}

export interface ListedService {
  service: string;
  paneId: string;
  command: string;
  status: "running" | "ended";
  ready?: boolean;
  ports: ListeningPort[];
  startedAt: number;
}
