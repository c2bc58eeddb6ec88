// Files of the forge are well formed: workflows whose steps name what is there, issue forms, the versions they test.
import { assert, assertEquals, assertMatch } from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import { parse } from "yaml";

const ROOT = fromFileUrl(new URL("../../", import.meta.url));

/** Images of GitHub, in November 2026. */
const IMAGES = [
  "ubuntu-latest",
  "ubuntu-24.04",
  "ubuntu-24.04-arm",
  "macos-latest",
  "macos-15",
  "macos-15-intel",
];

interface Step {
  name?: string;
  uses?: string;
  run?: string;
}

interface Job {
  "runs-on": string;
  "timeout-minutes": number;
  needs?: string | string[];
  container?: string;
  strategy?: { matrix: Record<string, unknown[]> };
  steps: Step[];
}

interface Workflow {
  name: string;
  on: Record<string, unknown>;
  permissions: Record<string, string>;
  jobs: Record<string, Job>;
}

interface Form {
  name: string;
  description: string;
  labels: string[];
  body: { type: string; id: string; attributes: { label: string } }[];
}

async function read<T>(path: string): Promise<T> {
  return parse(await Deno.readTextFile(join(ROOT, path)), { strict: true, uniqueKeys: true });
}

async function namesIn(folder: string): Promise<string[]> {
  return (await Array.fromAsync(Deno.readDir(join(ROOT, folder)))).map(({ name }) => name).sort();
}

/** Fails unless bash can parse the text, with what the forge puts in replaced by a word. */
async function assertParses(text: string): Promise<void> {
  const bash = new Deno.Command("bash", {
    args: ["-n", "-c", text.replaceAll(/\$\{\{.*?\}\}/g, "word")],
    stderr: "piped",
  });
  const { code, stderr } = await bash.output();
  assertEquals([code, new TextDecoder().decode(stderr)], [0, ""], text);
}

for (const file of await namesIn(".github/workflows")) {
  const { on, permissions, jobs } = await read<Workflow>(`.github/workflows/${file}`);

  Deno.test(`${file}: may only read unless a job says more, and every job ends in time`, () => {
    assert(Object.keys(on).length > 0);
    assertEquals(permissions, { contents: "read" });
    for (const [name, job] of Object.entries(jobs)) {
      assert(job["timeout-minutes"] <= 45, name);
      assert([job.needs ?? []].flat().every((needed) => needed in jobs), name);
      for (const { uses, run } of job.steps) assert((uses === undefined) !== (run === undefined), name);
      for (const { uses } of job.steps) assertMatch(uses ?? "a/b@v1", /^[\w-]+\/[\w-]+@v\d+$/);
    }
  });

  Deno.test(`${file}: every job runs on an image that the forge still has`, () => {
    for (const { "runs-on": label, strategy } of Object.values(jobs)) {
      const { os, include = [] } = (strategy?.matrix ?? {}) as { os?: string[]; include?: { os: string }[] };
      const labels = label === "${{ matrix.os }}" ? os ?? include.map((row) => row.os) : [label];
      assert(labels.length > 0);
      for (const each of labels) assert(IMAGES.includes(each), each);
    }
  });

  Deno.test(`${file}: every step is shell text that parses and names scripts that are there`, async () => {
    for (const { run } of Object.values(jobs).flatMap(({ steps }) => steps)) {
      if (run === undefined) continue;
      await assertParses(run);
      for (const [path] of run.matchAll(/(?<![\w/])(?:\.ci|\.github|scripts)\/[\w-]+/g)) {
        const { mode } = await Deno.stat(join(ROOT, path));
        assert((mode! & 0o111) !== 0 || path === "scripts/packages", `${path} cannot be run`);
      }
    }
  });
}

Deno.test("CI runs the whole gate on Linux and macOS, and on every tmux from the oldest that is taken", async () => {
  const { jobs } = await read<Workflow>(".github/workflows/ci.yml");
  const runs = (job: string): string => jobs[job]!.steps.map(({ run }) => run ?? "").join("\n");
  const systems = jobs["gate"]!.strategy!.matrix["os"]!.join(" ");
  assertMatch(systems, /ubuntu.*arm.*macos/);
  for (const job of ["gate", "bare"]) assertMatch(runs(job), /^(?:.* )?\.ci\/run$/m);
  assertMatch(runs("tmux"), /^scripts\/tmux-versions /m);
  const minimum = /^tmux_minimum=(.+)$/m.exec(await Deno.readTextFile(join(ROOT, "scripts/bootstrap")))![1]!;
  const versions = jobs["tmux"]!.strategy!.matrix["version"] as string[];
  assert(versions[0]!.startsWith(minimum) && versions.includes("newest"), versions.join(" "));
});

Deno.test("a release proves each binary and the npm package, and has checksums and the changelog's text", async () => {
  const { jobs } = await read<Workflow>(".github/workflows/release.yml");
  const text = Object.values(jobs).flatMap(({ steps }) => steps.map(({ run }) => run ?? "")).join("\n");
  for (
    const said of [
      "scripts/compile",
      "scripts/pack",
      "scripts/prove",
      "sha256sum",
      "CHANGELOG.md",
      ".ci/run",
      "release.ts bundle",
      "release.ts formula",
      "packages/Containerfile",
    ]
  ) {
    assert(text.includes(said), said);
  }
  const { release, ...proofs } = jobs;
  for (const job of Object.keys(proofs)) assert(job === "gate" || release!.needs!.includes(job), job);
});

Deno.test("this version has a part in the changelog", async () => {
  const { version } = JSON.parse(await Deno.readTextFile(join(ROOT, "deno.json")));
  assertMatch(version, /^\d+\.\d+\.\d+$/);
  const changelog = await Deno.readTextFile(join(ROOT, "CHANGELOG.md"));
  assertMatch(changelog, new RegExp(`^## \\[${RegExp.escape(version)}\\] - \\d{4}-\\d\\d-\\d\\d$`, "m"));
});

Deno.test("the issue forms are such, and ask for what doctor prints", async () => {
  const folder = ".github/ISSUE_TEMPLATE";
  const forms = (await namesIn(folder)).filter((name) => name !== "config.yml");
  assertEquals(forms, ["bug.yml", "feature.yml"]);
  for (const form of forms) {
    const { name, description, labels, body } = await read<Form>(`${folder}/${form}`);
    assert(name && description && labels.length > 0 && body.length > 0, form);
    assertEquals(new Set(body.map(({ id }) => id)).size, body.length);
    for (const { type, attributes } of body) assert(type === "textarea" && attributes.label, form);
  }
  assert(JSON.stringify(await read(`${folder}/bug.yml`)).includes("scripts/tmux-mcp doctor"));
  assertEquals((await read<Record<string, unknown>>(`${folder}/config.yml`))["blank_issues_enabled"], true);
});
