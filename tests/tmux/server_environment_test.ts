import { assert, assertEquals } from "@std/assert";
import { PROGRAM_FOLDERS, serverEnvironment, withProgramFolders } from "../../src/tmux/server_environment.ts";

const PASSED =
  `HOME PATH SHELL TERM LANG EDITOR JAVA_HOME VIRTUAL_ENV http_proxy https_proxy NO_PROXY SSH_AUTH_SOCK
  TMUX_TMPDIR DENO_TLS_CA_STORE npm_config_registry KEYBOARD TOKENIZERS_PARALLELISM AI_AGENTS SECRETS_FOLDER
  XAUTHORITY my-odd.name BASH_FUNC_greet%%`.split(/\s+/);

const WITHHELD = `DENO_DIR _ npm_command npm_execpath npm_node_execpath npm_lifecycle_event npm_package_json
  npm_config_local_prefix npm_config_user_agent INIT_CWD TMUX_MCP_SCOPE TMUX TMUX_PANE CLAUDECODE CLAUDE_CONFIG_DIR
  ANTHROPIC_BASE_URL OPENAI_BASE_URL CODEX_HOME GEMINI_CLI AI_AGENT AWS_SECRET_ACCESS_KEY GITHUB_TOKEN CLIENT_SECRET
  PGTEST_PASSWORD service_api_key`.split(/\s+/);

Deno.test("a tmux server that is started gets the environment, without what is the launcher's, the client's or a secret", () => {
  const given = Object.fromEntries([...PASSED, ...WITHHELD].map((name) => [name, `value of ${name}`]));
  const passed = serverEnvironment(given);
  assertEquals(Object.keys(passed).sort(), [...PASSED].sort());
  assertEquals(passed["http_proxy"], "value of http_proxy");
});

Deno.test("tmux is searched in a person's folders and those of package managers, after the PATH", () => {
  const folders = withProgramFolders("/usr/bin:/opt/homebrew/bin", "/home/$&").split(":");
  assertEquals(folders.slice(0, 2), ["/usr/bin", "/opt/homebrew/bin"]);
  assertEquals(folders.filter((folder) => folder === "/opt/homebrew/bin").length, 1);
  assertEquals(withProgramFolders("", undefined).includes("HOME"), false);
  for (const folder of ["/home/$&/.local/bin", "/home/linuxbrew/.linuxbrew/bin"]) {
    assert(folders.includes(folder));
  }
});

Deno.test("the launcher searches the same folders", async () => {
  const root = new URL("../../", import.meta.url);
  const text = await Deno.readTextFile(new URL("scripts/environment.bash", root));
  const added = [...text.matchAll(/(?<=PATH\+=:)[^\n;]+/g)].join(":");
  assertEquals(added, PROGRAM_FOLDERS);
});
