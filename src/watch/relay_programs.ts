// Programs that relay a terminal from elsewhere: another machine, a container, another tmux.

/** Programs that lead to a shell on another machine or in a container. */
const TO_SHELL =
  /^(ssh|sshpass|mosh-client|telnet|docker|docker-compose|podman|kubectl|oc|lxc|lxc-attach|incus|adb|vagrant|wsl)$/;
const OTHERS = /^(nc|ncat|socat|tmux|screen|picocom|minicom)$/;

/** True if a shell is likely to wait behind the program. */
export function leadsToShell(program: string): boolean {
  return TO_SHELL.test(program);
}

/** True if the program itself always waits for input, whatever runs behind it. */
export function isRelayProgram(program: string): boolean {
  return leadsToShell(program) || OTHERS.test(program);
}
