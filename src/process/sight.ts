// What is known of the processes behind panes, wherever they run: at once on this machine, by asking on another.
import type { PaneLook, PaneProcess } from "./look.ts";

type Awaitable<T> = T | Promise<T>;

export interface Sight {
  look(pane: PaneProcess): Awaitable<PaneLook>;
  /** With the pid, the identity of a process; undefined when it is gone. */
  startTime(pid: number): Awaitable<string | undefined>;
  /** Another after each exec of the same process; undefined where that can't be known. */
  image(pid: number): Awaitable<string | undefined>;
  /** How often its main thread went to sleep of its own accord, so far; undefined where nobody counts. */
  sleeps(pid: number): Awaitable<number | undefined>;
  /** How long ago a process began (ms); undefined where that can't be known. */
  ageMs(pid: number): Awaitable<number | undefined>;
  /** Whether a shell has a file open, as most have the start-up file or script they read; absent where nobody can tell. */
  readsFile?(pid: number): boolean;
  /** How many bytes the read(2) asks for in which a process sleeps; undefined where it sleeps in none, absent where nobody can tell. */
  wantedBytes?(pid: number): number | undefined;
}
