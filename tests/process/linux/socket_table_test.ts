// Listening sockets in the kernel's table.
import { assertEquals } from "@std/assert";
import { parseListening } from "../../../src/process/linux/socket_table.ts";

function row(local: string, state = "0A"): string {
  return `   0: ${local} 00000000:0000 ${state} 00000000:00000000 00:00000000 00000000  1000        0 4242 1 0 100 0`;
}

const ADDRESSES: [local: string, address: string, port: number][] = [
  ["0100007F:1F90", "127.0.0.1", 8080],
  ["00000000:0050", "0.0.0.0", 80],
  ["0A01A8C0:FFFF", "192.168.1.10", 65535],
  ["00000000000000000000000000000000:1F90", "::", 8080],
  ["00000000000000000000000001000000:1F90", "::1", 8080],
  ["0000000000000000FFFF00000100007F:1F90", "127.0.0.1", 8080],
  ["000080FE00000000FF005450B6AC56FE:0016", "fe80::5054:ff:fe56:acb6", 22],
  ["B80D0120000000000100000001000000:0016", "2001:db8::1:0:1", 22],
];

for (const [local, address, port] of ADDRESSES) {
  Deno.test(`a socket that listens at ${local} is at ${address}, port ${port}`, () => {
    assertEquals(parseListening(row(local)), [{ inode: "4242", address, port }]);
  });
}

Deno.test("a connection, and one that ends, listens nowhere", () => {
  const head =
    "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode";
  const table = [head, row("0100007F:1F90", "01"), row("0100007F:1F90", "06")].join("\n");
  assertEquals(parseListening(table), []);
});
