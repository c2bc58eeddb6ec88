// Behind which programs something works that cannot be seen: by their whole names.
import { assertEquals } from "@std/assert";
import { isRelayProgram, leadsElsewhere, leadsToShell } from "../../src/process/relay_programs.ts";

/** Returns a name, and if it leads to a shell, leads elsewhere, and relays. */
function kindsOf(name: string): [name: string, toShell: boolean, elsewhere: boolean, isRelay: boolean] {
  return [name, leadsToShell(name), leadsElsewhere(name), isRelayProgram(name)];
}

Deno.test("ssh and containers lead to shells", () => {
  const names =
    "ssh plink et tsh mosh-client session-manager session-manager-plugin docker docker-compose nerdctl " +
    "podman-remote ctr crictl runc kubectl oc lxc-attach machinectl fly flyctl multipass nomad";
  for (const name of names.split(" ")) assertEquals(kindsOf(name), [name, true, true, true]);
});

Deno.test("clients of any program lead elsewhere, a pipe to a socket is a gateway too", () => {
  for (
    const name of [
      "run0",
      "systemd-run",
      "systemd-nspawn",
      "lxc-console",
      "virsh",
      "picocom",
      "tio",
      "cu",
      "mpremote",
    ]
  ) {
    assertEquals(kindsOf(name), [name, false, true, true]);
  }
  for (const name of ["nc", "socat", "dtach", "abduco"]) {
    assertEquals(kindsOf(name), [name, false, false, true]);
  }
});

Deno.test("programs whose names merely begin alike are not gateways", () => {
  const names =
    "octave ocaml cut flynn ssh-keygen ssh-add dockerd ncdu python3 ethtool ctrlproxy systemd runcon";
  for (const name of ["", ...names.split(" ")]) assertEquals(kindsOf(name), [name, false, false, false]);
});
