// Deaths at a few moments; deno task soak:durable has hundreds.
import { KillRounds } from "../support/kill_rounds.ts";

Deno.test("client, server or both are killed: two later servers agree on what is true, and nothing is left behind", async () => {
  await using rounds = await KillRounds.begin(7);
  for (let round = 0; round < 3; round++) await rounds.round();
});
