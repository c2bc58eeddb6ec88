// The skills in the checkout's folder `skills`, as resources and as entries of `skills/list` (SEP-2640).
import { byteLength, sha256Of } from "../bytes.ts";
import { AppError } from "../errors.ts";
import type { Resource } from "./resource.ts";

/** Entry of a skill, for clients that support the extension `io.modelcontextprotocol/skills`. */
export interface Skill {
  /** URI of its SKILL.md. */
  uri: string;
  /** The YAML at the top of SKILL.md. */
  frontmatter: Record<string, unknown>;
  /** All files, with the SHA-256 digest (`sha256:` and hex) and size in bytes of their content. */
  resources: { uri: string; digest: string; size: number }[];
}

// Each import is spelled out, because `deno compile` and JSR include only files that they can see.
const TEXTS: Readonly<Record<string, () => Promise<{ default: string }>>> = {
  "driving-terminals": () => import("../../skills/driving-terminals/SKILL.md", { with: { type: "text" } }),
  "large-buffers": () => import("../../skills/large-buffers/SKILL.md", { with: { type: "text" } }),
};

/** Names of the skills, as in their URIs. */
export const SKILLS: readonly string[] = Object.keys(TEXTS);

export const skill: Resource = {
  name: "resource-skill",
  title: "Skill",
  description: "Instructions for agents that use this server; skills/list lists the skills",
  uri: "skill://{skill}/SKILL.md",
  mimeType: "text/markdown",
  groups: ["read"],
  changes: "nothing",
  isOwn: true,
  targets: () => [],
  read: ({ skill: name }) => readText(name!),
};

export async function listSkills(): Promise<Skill[]> {
  return await Promise.all(SKILLS.map(readEntry));
}

/** @throws {AppError} `not-found` */
async function readText(name: string): Promise<string> {
  if (!Object.hasOwn(TEXTS, name)) {
    throw new AppError("not-found", `Cannot find skill "${name}"`, { hint: `Skills: ${SKILLS.join(", ")}` });
  }
  return (await TEXTS[name]!()).default;
}

async function readEntry(name: string): Promise<Skill> {
  const uri = `skill://${name}/SKILL.md`;
  const [text, { parse }] = await Promise.all([readText(name), import("yaml")]);
  const [, frontmatter = ""] = /^---\n(.*?)\n---\n/s.exec(text) ?? [];
  return {
    uri,
    frontmatter: parse(frontmatter),
    resources: [{ uri, digest: `sha256:${await sha256Of(text)}`, size: byteLength(text) }],
  };
}
