// Identity of this program for every package, read from deno.json: the version, and the repository that the
// owner sets.
import { fromFileUrl, join } from "@std/path";

/** Root of the checkout. */
export const ROOT = fromFileUrl(new URL("../../", import.meta.url));

interface DenoJson {
  name: string;
  version: string;
  license: string;
  description: string;
  repository: string;
}

export interface Identity extends DenoJson {
  /** The account that owns the repository. */
  owner: string;
  homepage: string;
  bugs: string;
  /** Name in the MCP registry, which belongs to that account. */
  registryName: string;
  keywords: readonly string[];
}

/** Derives the identity from the fields of deno.json. */
export function identityOf(config: DenoJson): Identity {
  const { name, version, license, description, repository } = config;
  const [, owner, project] = /^https:\/\/github\.com\/([\w.-]+)\/([\w.-]+)$/.exec(repository) ?? [];
  if (owner === undefined) {
    throw new Error(
      `Invalid repository "${repository}" in deno.json: expected https://github.com/OWNER/NAME`,
    );
  }
  return {
    ...{ name, version, license, description, repository, owner },
    homepage: `${repository}#readme`,
    bugs: `${repository}/issues`,
    registryName: `io.github.${owner}/${project}`,
    keywords: ["mcp", "mcp-server", "tmux", "terminal", "agent"],
  };
}

export async function readIdentity(): Promise<Identity> {
  return identityOf(JSON.parse(await Deno.readTextFile(join(ROOT, "deno.json"))));
}
