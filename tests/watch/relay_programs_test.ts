// Behind which programs something works that cannot be seen: by their whole names.
import { assertEquals } from "@std/assert";
import { isRelayProgram, leadsToShell } from "../../src/watch/relay_programs.ts";

Deno.test("ssh and containers lead to shells, a serial line and a pipe are gateways too", () => {
  for (const name of ["ssh", "docker", "docker-compose", "kubectl", "oc", "lxc-attach", "mosh-client"]) {
    assertEquals([name, leadsToShell(name), isRelayProgram(name)], [name, true, true]);
  }
  for (const name of ["nc", "socat", "picocom"]) {
    assertEquals([name, leadsToShell(name), isRelayProgram(name)], [name, false, true]);
  }
});

Deno.test("programs whose names merely begin alike are not gateways", () => {
  for (const name of ["octave", "ocaml", "ssh-keygen", "ssh-add", "dockerd", "ncdu", "python3", ""]) {
    assertEquals([name, leadsToShell(name), isRelayProgram(name)], [name, false, false]);
  }
});
