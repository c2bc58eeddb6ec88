// Identity of a process, which other processes can check.

export interface ProcessIdentity {
  /** Pid, start time and machine, as written into locks, leases and folders of records. */
  readonly stamp: string;
  /** True if the stamp belongs to a dead process of this machine. */
  isDead(stamp: string): boolean;
  /** True if the stamp belongs to another machine or container, or to this machine before its last boot. */
  isElsewhere(stamp: string): boolean;
  /**
   * True if the stamp's process ended with an earlier boot of this machine, given when it last showed a sign of life
   * (epoch ms). A process of another machine counts too if that was before this machine's boot: by their marks, the
   * two are alike.
   */
  isFromEarlierBoot(stamp: string, lastSign: number): boolean;
}
