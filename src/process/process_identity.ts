// Identity of a process, which other processes can check.

export interface ProcessIdentity {
  /** Pid, start time and machine, as written into locks, leases and folders of records. */
  readonly mark: string;
  /** True if the mark belongs to a dead process of this machine. */
  isDead(mark: string): boolean;
  /** True if the mark belongs to another machine or container, or to this machine before its last boot. */
  isElsewhere(mark: string): boolean;
}
