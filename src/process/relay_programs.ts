// Programs that relay a terminal from elsewhere: another machine, a container, another tmux. Names are those of the
// kernel, which cuts them at 15 bytes, or whole.

/** Clients that lead to a shell on another machine or in a container. */
const TO_SHELL =
  /^(ssh|sshpass|dbclient|plink|mosh-client|et|tsh|telnet|session-manager(-plugin)?|docker|docker-compose|podman|podman-remote|nerdctl|ctr|crictl|runc|kubectl|oc|lxc|lxc-attach|incus|machinectl|adb|vagrant|wsl|fly|flyctl|multipass|nomad)$/;
/** Clients of any program or console, which may be no shell. */
const TO_PROGRAM = /^(run0|systemd-run|systemd-nspawn|lxc-console|virsh|picocom|minicom|tio|cu|mpremote)$/;
const OTHERS = /^(nc|ncat|socat|tmux|screen|dtach|abduco)$/;

/** True if a shell is likely to wait behind the program. */
export function leadsToShell(program: string): boolean {
  return TO_SHELL.test(program);
}

/** True if the program passes a raw terminal to one that can't be seen; its own questions it reads as lines. */
export function leadsElsewhere(program: string): boolean {
  return leadsToShell(program) || TO_PROGRAM.test(program);
}

/** True if the program itself always waits for input, whatever runs behind it. */
export function isRelayProgram(program: string): boolean {
  return leadsElsewhere(program) || OTHERS.test(program);
}
