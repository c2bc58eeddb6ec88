// Programs that show what others do elsewhere: on another machine, in a container, in a tmux.

/** Programs that lead to a shell, on another machine or in a container. */
const TO_SHELL =
  /^(ssh|sshpass|mosh-client|telnet|docker|docker-compose|podman|kubectl|oc|lxc|lxc-attach|incus|adb|vagrant|wsl)$/;
const OTHERS = /^(nc|ncat|socat|tmux|screen|picocom|minicom)$/;

/** True if a shell is likely to wait behind a program. */
export function leadsToShell(program: string): boolean {
  return TO_SHELL.test(program);
}

/** True if a program itself waits all the time, whatever runs behind it. */
export function isRelayProgram(program: string): boolean {
  return leadsToShell(program) || OTHERS.test(program);
}
