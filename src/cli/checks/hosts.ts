// Checks that the configured machines can be reached and have tmux.
import type { Engine } from "../../engine.ts";
import type { Invocation } from "../invocation.ts";
import { failedCheck, type Finding } from "./finding.ts";

export async function checkHosts(engine: Engine, { config }: Invocation): Promise<Finding[]> {
  const { hosts, ssh } = config.options;
  const places = [...(ssh === undefined ? [] : [undefined]), ...Object.keys(hosts)];
  return await Promise.all(places.map(async (host) => {
    const name = host === undefined ? "--ssh" : `host ${host}`;
    try {
      const { alive, version, sessions } = await engine.connect({ host }).servers.info();
      const runs = alive ? `sessions: ${sessions}` : "no server runs; create-session starts one";
      return { name, verdict: "works", says: `tmux ${version}, ${runs}` };
    } catch (error) {
      return failedCheck(error, name, "partly");
    }
  }));
}
