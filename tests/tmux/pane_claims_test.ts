// Two claims of one pane, on a private server.
import { assertEquals } from "@std/assert";
import { type GatewayOptions, TmuxGateway } from "../../src/tmux/gateway.ts";
import { claimPane } from "../../src/tmux/pane_claims.ts";
import { createProcessExec } from "../../src/tmux/spawn.ts";
import { privateTmux } from "./private_tmux.ts";

Deno.test("one of two claims gets the pane, though a hook prints after the refusal of the other", async () => {
  await using tmux = await privateTmux();
  const gateway = new TmuxGateway({ exec: createProcessExec(tmux.target) } as unknown as GatewayOptions);
  await gateway.run([["set-hook", "-g", "after-display-message", "display-message -p PRINTED"]]);
  const claim = { taken: "#{!=:#{@claimed},}", options: [["set-option", "-p", "-t", "%0", "@claimed", "1"]] };
  assertEquals([await claimPane(gateway, "%0", claim), await claimPane(gateway, "%0", claim)], [true, false]);
});
