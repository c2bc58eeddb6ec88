import { assertEquals } from "@std/assert";
import { serverEnvironment } from "../../src/tmux/server_environment.ts";

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
