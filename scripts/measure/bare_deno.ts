// Deno with the given number of idle workers: the floor for memory. It ends with its stdin.
for (let count = 0; count < Number(Deno.args[0]); count++) {
  new Worker("data:text/javascript,onmessage = () => {};", { type: "module" });
}
await Deno.stdin.read(new Uint8Array(1));
Deno.exit();
