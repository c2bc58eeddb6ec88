// The Homebrew formula of a release: its binaries with their checksums, and tmux.
import { basename } from "@std/path";
import type { Identity } from "./identity.ts";

/** Homebrew takes one block for each system. */
const SYSTEMS = ["macos", "linux"] as const;
const CPUS = [{ suffix: "arm64", cpu: "arm" }, { suffix: "x64", cpu: "intel" }] as const;

/** The name of a release's binary. */
export function binaryName({ version }: Identity, platform: string): string {
  return `tmux-mcp-${version}-${platform}`;
}

/**
 * The formula's text.
 * @param checksums SHA-256 of each file of the release, by its name
 * @throws {Error} when a platform's binary is missing
 */
export function homebrewFormula(identity: Identity, checksums: ReadonlyMap<string, string>): string {
  const { version, repository, license } = identity;
  const download = (os: string, { suffix, cpu }: typeof CPUS[number]): string => {
    const file = binaryName(identity, `${os}-${suffix}`);
    const checksum = checksums.get(file);
    if (checksum === undefined) throw new Error(`Cannot write the formula: no checksum of ${file}`);
    return `    on_${cpu} do
      url "${repository}/releases/download/v${version}/${file}"
      sha256 "${checksum}"
    end
`;
  };
  const blocks = SYSTEMS.map((os) =>
    `  on_${os} do\n${CPUS.map((cpu) => download(os, cpu)).join("\n")}  end\n`
  );
  return `class TmuxMcp < Formula
  desc "MCP server that lets agents work in tmux and learn when something happens"
  homepage "${repository}"
  version "${version}"
  license "${license}"

  depends_on "tmux"

${blocks.join("\n")}
  def install
    bin.install Dir["*"].first => "tmux-mcp"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/tmux-mcp --version")
  end
end
`;
}

/** Reads the lines of `sha256sum`: a checksum, and the file it is of. */
export function readChecksums(text: string): Map<string, string> {
  return new Map(
    text.trim().split("\n").map((line) => {
      const [checksum = "", file = ""] = line.split(/\s+\*?/);
      return [basename(file), checksum];
    }),
  );
}
