import { assert, assertEquals, assertMatch, assertRejects, assertThrows } from "@std/assert";
import { AppError } from "../../src/errors.ts";
import { createProcessExec, type ProcessTarget, runProgram, spawnClient } from "../../src/tmux/spawn.ts";
import type { Reply } from "../../src/tmux_exec/exec.ts";
import { privateTmux } from "./private_tmux.ts";

const env = { PATH: Deno.env.get("PATH") ?? "/usr/bin:/bin" };
const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
const encode = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);
const sh = (script: string): { bin: string; args: string[]; env: Record<string, string> } => ({
  bin: "sh",
  args: ["-c", script],
  env,
});

async function appError(promise: Promise<unknown>): Promise<AppError> {
  return await assertRejects(() => promise, AppError) as AppError;
}

Deno.test("commands of one batch run in order in one client", async () => {
  await using tmux = await privateTmux();
  const exec = createProcessExec(tmux.target);
  const reply = await exec([["display-message", "-p", "a;"], ["display-message", "-p", "ü\tb"]]);
  assertEquals({ ...reply, stdout: text(reply.stdout) }, { code: 0, stdout: "a;\nü\tb\n", stderr: "" });
});

Deno.test("a failing command answers with its code and words, and drops the rest", async () => {
  await using tmux = await privateTmux();
  const exec = createProcessExec(tmux.target);
  const reply = await exec([["has-session", "-t", "$99"], ["display-message", "-p", "never"]]);
  assertEquals(reply.code, 1);
  assertEquals(text(reply.stdout), "");
  assertMatch(reply.stderr, /can't find session/);
});

Deno.test("a server that dies under its client is a reply that says so", async () => {
  await using tmux = await privateTmux();
  const exec = createProcessExec(tmux.target);
  const waiting = exec([["wait-for", "-S", "started"], ["wait-for", "never"]]);
  await exec([["wait-for", "started"]]);
  Deno.kill(tmux.serverPid, "SIGKILL");
  const { code, stderr } = await waiting;
  assertEquals([code, stderr], [1, "server exited unexpectedly\n"]);
});

Deno.test("no client names the variables of a session that starts a server", async () => {
  await using tmux = await privateTmux();
  const bin = `${tmux.folder}/logging`;
  const script = `#!/bin/sh\nprintf '%s\\n' "$*" >>${tmux.folder}/named\nexec tmux "$@"\n`;
  await Deno.writeTextFile(bin, script, { mode: 0o755 });
  const exec = createProcessExec({ ...tmux.target, bin, socketArgs: ["-S", `${tmux.folder}/new`] });
  const { code } = await exec([["new-session", "-d", "-e", "TOKEN=s3cret", "cat"]]);
  const { stdout } = await exec([["show-environment", "-t", "0", "TOKEN"]]);
  await exec([["kill-server"]]);
  const named = await Deno.readTextFile(`${tmux.folder}/named`);
  assertEquals([code, text(stdout), named.includes("s3cret")], [0, "TOKEN=s3cret\n", false]);
});

Deno.test("standard input reaches load-buffer whole", async () => {
  await using tmux = await privateTmux();
  const exec = createProcessExec(tmux.target);
  const content = crypto.getRandomValues(new Uint8Array(60_000)).map((byte) => byte | 1);
  await exec([["load-buffer", "-b", "b", "-"]], { stdin: content });
  assertEquals((await exec([["save-buffer", "-b", "b", "-"]])).stdout, content);
});

Deno.test("loader variables are kept from the child, others reach it, nothing else is inherited", async () => {
  const program = { ...sh("env"), env: { ...env, LD_PRELOAD: "/nowhere.so", DYLD_X: "1", GIVEN: "yes" } };
  const names = text((await runProgram(program)).stdout).split("\n").map((line) => line.split("=")[0]);
  assertEquals(
    names.filter((name) => name !== "" && !["PWD", "SHLVL", "_", "OLDPWD"].includes(name!)).sort(),
    [
      "GIVEN",
      "PATH",
    ],
  );
});

Deno.test("a missing tmux is tmux-unavailable and says to install it", async () => {
  const exec = createProcessExec({ bin: "no-such-tmux", socketArgs: [], env });
  const error = await appError(exec([["list-panes"]]));
  assertEquals(error.code, "tmux-unavailable");
  assertMatch(error.hint ?? "", /Install no-such-tmux/);
});

Deno.test("a file that can't be started is tmux-unavailable, and says why", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const [locked, foreign] = [`${folder}/locked`, `${folder}/foreign`];
    await Deno.writeTextFile(locked, "#!/bin/sh\n", { mode: 0o644 });
    await Deno.writeTextFile(foreign, "#!/nowhere/sh\n", { mode: 0o755 });
    for (
      const [bin, says] of [
        [locked, "this user may not run it"],
        [folder, "this user may not run it"],
        [foreign, "the interpreter or loader that it needs is missing"],
        [`${folder}/none`, "no such program"],
      ] as const
    ) {
      const { code, message, hint } = await appError(runProgram({ bin, args: [], env }));
      assertEquals([code, message], ["tmux-unavailable", `Cannot start "${bin}": ${says}`]);
      assertMatch(hint!, /--tmux-bin/);
    }
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("a client that does not answer is killed at its deadline, pipes held by a grandchild included", async () => {
  const error = await appError(runProgram(sh("sleep 2 & exec sleep 30"), { timeoutMs: 50 }));
  assertEquals([error.code, error.retryable], ["timeout", true]);
});

Deno.test("aborting kills the client and rejects with the signal's reason", async () => {
  const abort = new AbortController();
  const reason = new Error("changed my mind");
  const call = runProgram(sh("exec sleep 30"), { signal: abort.signal });
  abort.abort(reason);
  assertEquals(await call.catch((error) => error), reason);
  assertEquals(await runProgram(sh("true"), { signal: abort.signal }).catch((error) => error), reason);
});

Deno.test("output past the limit ends the client", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const error = await appError(
      runProgram({ ...sh("echo $$ >pid; exec yes"), cwd: folder }, { timeoutMs: 60_000 }),
    );
    assertEquals(error.code, "tmux-error");
    assertMatch(error.message, /64 MiB/);
    const pid = Number(await Deno.readTextFile(`${folder}/pid`));
    assertThrows(() => Deno.kill(pid, "SIGCONT"), Deno.errors.NotFound);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("input that the client does not read is no failure", async () => {
  const reply = await runProgram(sh("exit 3"), { stdin: new Uint8Array(1_000_000) });
  assertEquals(reply.code, 3);
});

Deno.test("a long-lived client speaks control mode until its input ends", async () => {
  await using tmux = await privateTmux();
  const client = spawnClient(tmux.target, ["-C", "attach-session", "-f", "ignore-size"]);
  assert(client.pid > 0);
  await client.stdin.write(new TextEncoder().encode("display-message -p hello\n"));
  await client.stdin.close();
  const output = await new Response(client.stdout).text();
  assertMatch(output, /%begin .*\nhello\n%end/);
  assertMatch(output, /%exit/);
  assertEquals((await client.status).code, 0);
  assertEquals(await client.stderr, "");
});

Deno.test("ending a long-lived client that ignores SIGTERM kills it", async () => {
  const tools = { bin: "sh", socketArgs: [], env };
  const client = spawnClient({
    ...tools,
    socketArgs: ["-c", "trap '' TERM; echo up; while :; do sleep 1; done"],
  }, []);
  const reader = client.stdout.getReader();
  await reader.read();
  await client.end();
  assertEquals((await client.status).signal, "SIGKILL");
  await reader.cancel();
  await client.stdin.close().catch(() => {});
});

/** A login shell that prints at its start, behind what would be ssh. */
const noisy = (before: string): ProcessTarget => ({
  ...{ bin: "sh", socketArgs: ["-c"], env: {} },
  via: {
    ...{ host: "far", system: "Linux", architecture: "x86_64", bin: "sh", env },
    args: ["-c", `echo welcome; printf begun; echo warning >&2; ${before}eval "$1"`, "login"],
  },
});

Deno.test("what a login shell prints before a program of another machine is not the program's", async () => {
  const exec = createProcessExec(noisy(""));
  const replies: [script: string, Reply][] = [
    ["printf 'out\\n'", { code: 0, stdout: encode("out\n"), stderr: "" }],
    ["echo why >&2; exit 3", { code: 3, stdout: encode(""), stderr: "why\n" }],
  ];
  for (const [script, reply] of replies) assertEquals(await exec([[script]]), reply);
  const client = spawnClient(noisy(""), ["cat; echo why >&2"]);
  await client.stdin.write(encode("through"));
  await client.stdin.close();
  assertEquals([await new Response(client.stdout).text(), await client.stderr], ["through", "why\n"]);
  await client.end();
  const refusing = await createProcessExec(noisy("exit 4;"))([["echo never"]]);
  assertEquals({ ...refusing, stdout: text(refusing.stdout) }, { code: 4, stdout: "", stderr: "warning\n" });
});

Deno.test("a client that is left before its login shell has printed all ends", async () => {
  const error = await appError(createProcessExec(noisy("exec sleep 30;"))([["true"]], { timeoutMs: 50 }));
  assertEquals(error.code, "timeout");
  const client = spawnClient(noisy("exec sleep 30;"), ["true"]);
  await client.stdout.cancel();
  await client.stdin.close();
  await client.end();
});
