// The import arrows as data: the layers, and the packages that each may load.
// deno-lint-ignore-file camelcase -- the keys are names of files and folders

/**
 * Layers from the top down, each with the layers, or single files of them, that it may load. Types may come from any
 * lower layer.
 */
const TABLE: Readonly<Record<string, string>> = {
  main: "everything",
  mod: "everything",
  composed_server: "everything",
  served_requests: "everything",
  tool_services: "everything",
  server_options: "errors",
  server_policy: "server policy stat temporary_folder",
  cli: `engine config client_profiles records masking json tmux tmux_exec process ffi shell stat
    home_folder temporary_folder version promises bytes errors`,
  connection: "engine config commands tmux vocabulary temporary_folder ids errors",
  engine: `temporary_leftovers local_servers remote_servers durable commands watch records tmux
    tmux_protocol process ffi promises timer`,
  temporary_leftovers: "records tmux ffi temporary_folder promises timer",
  local_servers: "machines tmux process promises",
  remote_servers: "machines tmux promises errors maps",
  server: "bytes ids json client_profiles policy excerpt nearest stat promises timer errors maps",
  tools: `workspaces tmux/typing/long_lines tmux/option_syntax tool vocabulary line_details excerpt
    nearest promises timer bytes regex errors ids`,
  resources: "views skills terminal/pictures/theme version bytes errors",
  prompts: "errors",
  machines: "tmux process shell/quoting home_folder temporary_folder promises timer errors",
  policy: `tmux/typing/handed_over_panes tmux/ownership tmux/server_key shell home_folder line_details
    vocabulary bytes errors ids json maps`,
  tool: "",
  workspaces: "watch tmux json nearest home_folder stat promises timer bytes regex excerpt errors",
  services: "watch tmux process promises timer regex errors",
  durable: "handover commands watch tmux process findings line_details promises timer bytes errors",
  repls: "watch tmux process terminal promises timer regex errors",
  handover: "commands watch tmux tmux_exec process shell promises timer excerpt errors",
  commands: `watch records tmux process shell output findings masking terminal vocabulary stat promises
    timer bytes excerpt errors ids maps`,
  watch: `tmux tmux_exec process masking terminal vocabulary json nearest promises timer bytes regex
    errors ids maps`,
  workers: `watch/protocol shell/loader_lines shell/marks shell/quoting shell/screen tmux tmux_exec
    tmux_protocol process ffi terminal findings line_details temporary_folder promises timer bytes
    errors maps`,
  records: "stat timer bytes errors maps",
  tmux: `tmux_exec tmux_protocol json shell/quoting excerpt nearest stat temporary_folder promises
    timer bytes errors ids maps`,
  tmux_protocol: "ffi tmux_exec timer bytes",
  tmux_exec: "bytes errors",
  process: "ffi shell/quoting errors maps",
  ffi: "stat timer errors",
  shell: "excerpt bytes errors",
  findings: "bytes excerpt json timer",
  masking: "terminal/width json errors",
  output: "timer bytes",
  terminal: "bytes promises errors maps",
  config: "home_folder client_profiles vocabulary nearest ids json",
  views: "",
  skills: "",
  version: "deno.json",
  client_profiles: "",
  vocabulary: "",
  nearest: "",
  line_details: "excerpt",
  excerpt: "bytes",
  regex: "errors",
  ids: "",
  promises: "",
  timer: "",
  bytes: "",
  json: "",
  maps: "",
  stat: "errors",
  temporary_folder: "",
  home_folder: "",
  errors: "",
};

export const LAYERS: ReadonlyArray<{ name: string; imports: readonly string[] }> = Object.entries(TABLE)
  .map(([name, imports]) => ({ name, imports: imports.split(/\s+/) }));

/** Layers that may load each package; no layer may load other packages. */
export const PACKAGES: Readonly<Record<string, string>> = {
  "@modelcontextprotocol/sdk": "server",
  "@modelcontextprotocol/server": "server",
  "zod": "tool tools config server",
  "re2js": "regex workers durable policy config tools masking",
  "@std/path": "server_policy cli server tools tmux machines records temporary_leftovers",
  "@std/toml": "cli config",
  "jsonc-parser": "cli",
  "yaml": "cli tools resources workspaces",
  "@xterm/headless": "terminal",
  "@xterm/addon-unicode11": "resources",
  "@xterm/xterm": "resources",
  "@resvg/resvg-wasm": "terminal",
  "dejavu-fonts-ttf": "terminal",
  "@expo-google-fonts/noto-emoji": "terminal",
  "@fontsource/unifontex": "terminal",
  "mvdan-sh": "shell",
  "fuzzball": "tools",
};

/** Packages that a worker may load, directly or through its imports; each makes the start of every watch slower. */
export const WORKER_PACKAGES: readonly string[] = ["re2js"];
