// The manifests with which registries and clients install this program, derived from its identity.
import type { Identity } from "./identity.ts";

const NAME = "tmux-mcp";
const LAUNCHER = "scripts/tmux-mcp";
/** Summary; the MCP registry accepts at most 100 characters. */
const SUMMARY = "Control terminals through tmux, and learn when a server is ready, fails, asks or ends";

interface McpServer {
  command: string;
  args: readonly string[];
}

const served = (entry: McpServer) => ({ tmux: entry });

function about({ version, license, owner, homepage, repository, keywords }: Identity) {
  return { version, description: SUMMARY, author: { name: owner }, homepage, repository, license, keywords };
}

/** Entry that starts the server from npm. */
export function npmEntry({ name, version }: Identity): McpServer {
  return { command: "npx", args: ["-y", `${name}@${version}`] };
}

/** `.claude-plugin/plugin.json`: the checkout is the plugin, with its skills and launcher. */
function claudePlugin(identity: Identity): object {
  return {
    name: NAME,
    ...about(identity),
    mcpServers: served({ command: `\${CLAUDE_PLUGIN_ROOT}/${LAUNCHER}`, args: [] }),
  };
}

/** `.claude-plugin/marketplace.json`: a marketplace with this one plugin. */
function claudeMarketplace({ owner }: Identity): object {
  return {
    name: NAME,
    owner: { name: owner },
    metadata: { description: SUMMARY },
    plugins: [{ name: NAME, source: "./", description: SUMMARY }],
  };
}

/** `.cursor-plugin/plugin.json`: the skills of the checkout, and the server from npm. */
function cursorPlugin(identity: Identity): object {
  return {
    name: NAME,
    displayName: "tmux",
    ...about(identity),
    skills: "./skills/",
    mcpServers: served(npmEntry(identity)),
  };
}

/** `gemini-extension.json`: Gemini CLI clones the repository and finds the skills by their folder. */
function geminiExtension({ version }: Identity): object {
  return {
    name: NAME,
    version,
    description: SUMMARY,
    mcpServers: served({ command: `\${extensionPath}/${LAUNCHER}`, args: [] }),
  };
}

/** `server.json` of the MCP registry. */
function registryEntry({ registryName, version, repository, name }: Identity): object {
  return {
    $schema: "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
    name: registryName,
    title: "tmux",
    description: SUMMARY,
    version,
    repository: { url: repository, source: "github" },
    packages: [{
      registryType: "npm",
      identifier: name,
      version,
      runtimeHint: "npx",
      transport: { type: "stdio" },
    }],
  };
}

/** `manifest.json` of an MCP bundle, which holds one platform's binary. */
export function bundleManifest(identity: Identity, platform: "linux" | "darwin"): object {
  const { repository, ...rest } = about(identity);
  return {
    manifest_version: "0.3",
    name: NAME,
    display_name: "tmux",
    ...rest,
    repository: { type: "git", url: `${repository}.git` },
    support: identity.bugs,
    server: {
      type: "binary",
      entry_point: "server/tmux-mcp",
      mcp_config: { command: "${__dirname}/server/tmux-mcp", args: [], env: {} },
    },
    tools_generated: true,
    prompts_generated: true,
    compatibility: { platforms: [platform] },
  };
}

/** A container with tmux, whose panes run inside it. The first stage has npm, which installs Deno. */
function containerfile({ registryName, repository, version, license }: Identity): string {
  return `# Generated from deno.json by "deno task gen". Build it in a checkout:
#   docker build --tag tmux-mcp --file packages/Containerfile .
FROM node:24-trixie-slim AS checkout
RUN apt-get update && apt-get install -y --no-install-recommends ca-certificates tmux
COPY . /opt/tmux-mcp
RUN /opt/tmux-mcp/scripts/bootstrap

FROM debian:trixie-slim
LABEL io.modelcontextprotocol.server.name="${registryName}" \\
  org.opencontainers.image.source="${repository}" \\
  org.opencontainers.image.version="${version}" \\
  org.opencontainers.image.licenses="${license}"
RUN apt-get update \\
  && apt-get install -y --no-install-recommends bash ca-certificates openssh-client procps tini tmux \\
  && rm -rf /var/lib/apt/lists/* \\
  && useradd --create-home --shell /bin/bash agent \\
  && install -d -o agent /work
COPY --from=checkout /opt/tmux-mcp /opt/tmux-mcp
ENV LANG=C.UTF-8
USER agent
WORKDIR /work
ENTRYPOINT ["/usr/bin/tini", "--", "/opt/tmux-mcp/scripts/tmux-mcp"]
`;
}

const json = (value: object): string => JSON.stringify(value, null, 2) + "\n";

/** Every manifest in the checkout, by path. */
export function manifests(identity: Identity): Map<string, string> {
  return new Map([
    [".claude-plugin/plugin.json", json(claudePlugin(identity))],
    [".claude-plugin/marketplace.json", json(claudeMarketplace(identity))],
    [".cursor-plugin/plugin.json", json(cursorPlugin(identity))],
    ["gemini-extension.json", json(geminiExtension(identity))],
    ["packages/server.json", json(registryEntry(identity))],
    ["packages/Containerfile", containerfile(identity)],
    ["packages/Containerfile.dockerignore", ".git\n.tools\nnode_modules\ndist\n"],
  ]);
}
