import { assertEquals, assertThrows } from "@std/assert";
import { findSyscallTable } from "../../../src/process/linux/syscalls.ts";

const SAME_MEANING: readonly [x86: number, arm: number, name: string, shape: string][] = [
  [0, 63, "read", "read"],
  [19, 65, "readv", "read"],
  [17, 67, "pread64", "read"],
  [270, 72, "pselect6", "select"],
  [271, 73, "ppoll", "poll"],
  [281, 22, "epoll_pwait", "epoll"],
  [441, 441, "epoll_pwait2", "epoll"],
  [426, 426, "io_uring_enter", "opaque"],
  [219, 128, "restart_syscall", "restart"],
  [45, 207, "recvfrom", "other"],
  [230, 115, "clock_nanosleep", "other"],
  [61, 260, "wait4", "other"],
];

for (const [column, arch] of ["x86_64", "aarch64"].entries()) {
  Deno.test(`only x86-64 checked: findSyscallTable() knows the waiting calls of ${arch}`, () => {
    const table = findSyscallTable(arch)!;
    for (const row of SAME_MEANING) {
      const { name, shape } = table.describe(row[column] as number);
      assertEquals([name, shape], [row[2], row[3]]);
      assertEquals(table.numberOf(row[2]), row[column]);
    }
  });
}

Deno.test("arm64 has none of the older forms, and their numbers mean other calls there", () => {
  const arm = findSyscallTable("aarch64")!;
  assertThrows(() => arm.numberOf("poll"), RangeError);
  assertEquals([0, 7, 23, 232].map((number) => arm.describe(number).shape), [
    "other",
    "other",
    "other",
    "other",
  ]);
});

Deno.test("sendfile reads from its second argument", () => {
  assertEquals(findSyscallTable("x86_64")!.describe(40).fdArgument, 1);
});

Deno.test("an unknown number and an unknown architecture are said, not guessed", () => {
  assertEquals(findSyscallTable("x86_64")!.describe(9999), {
    name: "syscall 9999",
    shape: "other",
    fdArgument: 0,
  });
  assertEquals(findSyscallTable("s390x"), undefined);
});
