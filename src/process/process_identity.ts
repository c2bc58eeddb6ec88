// Identity of a process, which other processes can check.

export interface ProcessIdentity {
  /** Pid, start time and machine, as locks, leases and folders of records carry them. */
  readonly mark: string;
  /** True if a mark is of a process of this machine that is dead. */
  isDead(mark: string): boolean;
  /** True if a mark is of another machine, another container, or this machine before it booted. */
  isElsewhere(mark: string): boolean;
}
