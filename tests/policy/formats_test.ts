// tmux formats.
import { assertEquals, assertThrows } from "@std/assert";
import { AppError } from "../../src/errors.ts";
import { checkFormat } from "../../src/policy/formats.ts";

const OPEN = {
  scoped: false,
  listed: false,
  contents: true,
  lists: true,
  pane: true,
  session: true,
  jobs: false,
};

function verdict(format: string, scoped = false, contents = true): string {
  return verdictOf(format, { scoped, contents });
}

function verdictOf(format: string, rules: Partial<typeof OPEN> = {}): string {
  try {
    checkFormat(format, { ...OPEN, ...rules });
    return "allowed";
  } catch (error) {
    return error instanceof AppError ? error.code : String(error);
  }
}

Deno.test("`#(cmd)` in names, titles, paths, messages, options, display-message runs a shell", () => {
  const refused = [
    "#(touch x)",
    "a#(b)",
    "##(b)",
    "#{?1,#(b),}",
    "#{E:status-left}",
    "#{T:status-left}",
    "#{=5;E:status-left}",
    "#{E;l:x}",
    "#{?a,#{E:@x},b}",
    "#{s/a/b/;T:x}",
    "#%p(touch x)",
    "#{?session_name,#%p(touch x),}",
    "#{?session_name,#%%p(touch x),}",
    "#%p{R:aaaaaaaaaaa,9999}",
    "#%p{S:#{session_name} }",
  ];
  for (const format of refused) assertEquals(verdict(format), "denied", format);
  const fine = [
    "#{pane_id}",
    "plain",
    "#S:#I",
    "#{?pane_active,a,b}",
    "#{=10:pane_title}",
    "#{E}",
    "#{TERM}",
    "50%",
    "#[fg=red]x",
  ];
  for (const format of fine) assertEquals(verdict(format, true), "allowed", format);
});

Deno.test("under a scope a format looks at nothing but its own pane", () => {
  for (
    const format of [
      "#{S:#{session_name}}",
      "#{W:x}",
      "#{P:x}",
      "#{L:x}",
      "#{N/s:ops}",
      "#{S/n:x}",
      "#{Wr:x}",
    ]
  ) {
    assertEquals(verdict(format), "allowed", format);
    assertEquals(verdict(format, true), "denied", format);
  }
});

Deno.test("the refusal of a variable that tells about other sessions names it", () => {
  for (const name of ["client_prefix", "window_linked", "server_sessions", "buffer_name"]) {
    const check = () => checkFormat(`#S #{?${name},a,b}`, { ...OPEN, scoped: true });
    assertThrows(check, AppError, `: ${name} tells about what is out of scope: security.allowed_sessions`);
  }
});

Deno.test("what is no format is refused", () => {
  for (const format of ["#{pane_id", "#{?a,#{b}", "#{a#}"]) {
    assertEquals(verdict(format), "invalid-argument", format);
  }
  assertThrows(() => checkFormat("#{", OPEN), AppError);
  for (const format of ["#{X:pane_id}", "#{sX:pane_id}", "#{ pane_id }", "#{}", "#{s/a/#{b}/:host}"]) {
    assertEquals(verdict(format), "invalid-argument", format);
  }
});

Deno.test("a format nested so deep that it can't be read is refused", () => {
  for (const open of ["#{", "#{l:", "#{?"]) {
    assertEquals(verdict(open.repeat(Math.floor(4096 / open.length))), "invalid-argument", open);
  }
});

Deno.test("allow_capture = false: a format shows nothing of what panes and buffers hold", () => {
  for (
    const format of [
      "#{C:secret}",
      "#{C/r:^s}",
      "#{?#{C:a},1,0}",
      "#{copy_cursor_line}",
      "#{=9:mouse_word}",
      "#{buffer_sample}",
      "#{@tmux_mcp_waiting}",
      "#{=9:@tmux_mcp_waiting[0]}",
      "#{?@tmux_mcp_waiting[1],1,0}",
    ]
  ) {
    assertEquals(verdict(format), "allowed", format);
    assertEquals(verdict(format, false, false), "denied", format);
  }
  assertEquals(verdict("#{buffer_sample}", true), "denied");
  assertEquals(verdict("#{pane_id} #{COLUMNS} #{window_height}", true, false), "allowed");
});

Deno.test("a format that would make tmux read on after its end is refused", () => {
  const refused = [
    "#",
    "#{pane_id} #",
    "###",
    "#[fg=red]#",
    "#{s/a/\\/:host}",
    "#{s/a/\\\\\\/:host}",
    "#{s/a/\\%p/:host}",
    "#{s/a/\\/x/:host}",
    "#{s/a/\\/i:host}",
    "#{s/a/\\:host}",
  ];
  for (const format of refused) assertEquals(verdict(format), "invalid-argument", format);
  for (const format of ["##", "#{pane_id}##", "#{s/a/\\\\/:host}", "#{s|(o)s|\\1|:host}", "#{s/a//:host}"]) {
    assertEquals(verdict(format), "allowed", format);
  }
});

Deno.test("the inside of a job in an option is a format too", () => {
  const job = (text: string): string => verdictOf(`a #(${text}) b`, { jobs: true });
  for (const text of ["echo $#", "echo '#{nothing here}'"]) assertEquals(job(text), "invalid-argument", text);
  for (const text of ["echo #{w:pane_current_path}", "echo #{p2000000000:x}", "#(#{=-5:host})"]) {
    assertEquals(job(text), "denied", text);
  }
  assertEquals(verdictOf("#{s/x*y/z/:#{l:a}#(ls)}", { jobs: true }), "denied");
  for (const text of ["date +%H", "echo $(ls) #{pane_id} ${#x}", "a '#(b)'", "echo ##"]) {
    assertEquals(job(text), "allowed", text);
  }
  assertEquals(verdictOf("#(echo #{w:host}", { jobs: true }), "allowed");
});

Deno.test("every modifier of tmux's manual is on the list, but for those that expand twice", () => {
  const fine = [
    "#{==:#{host},x}#{!=:a,b}#{<:1,2}#{>=:1,2}#{||:#{pane_in_mode},#{alternate_on}}#{&&:1,0}#{!:1}",
    "#{?pane_in_mode,#[fg=red],#[fg=#ff8700]}#{?#{==:a,b},x#,y,z}",
    "#{m:*foo*,#{host}}#{m/i:FOO,#{host}}#{m/ri:^a,#{session_name}}#{C:%0}#{C/i:x}",
    "#{e|+|:1,2}#{e|*|f|4:5.5,3}#{e|<:1,2}#{e/-/:3,2}",
    "#{a:65}#{c:red}#{l:abc}#{b:pane_current_path}#{d:pane_current_path}#{n:host}#{w:#{=99;q/h:host}}#{q:pane_title}#{q/h:host}",
    "#{t:session_created}#{t/p:session_created}#{t/f/%%H#:%%M:session_created}",
    "#{=5:pane_title}#{=-5:#{=99;q/h:pane_title}}#{=/5/...:pane_title}#{p20:window_name}#{p-20:window_name}#{=20;p20:host}",
    "#{s/foo/bar/:pane_current_path}#{s|a(.)|x|i:host}#{s/a+/b/:#{=200:pane_title}}",
    "#{S:#{session_name}#{W: #{window_index}#{P:,#{pane_id}}}}#{W:#{window_name},[#{window_name}]}#{L:#{client_tty}}",
    "#{N:name}#{N/s:name}#{@mine}#{@my.own/é:1}#{?@a|b,#{=5:@1},}#{status-left}#{status-format[0]}#{TERM}#S#T##{",
  ];
  for (const format of fine) assertEquals(verdict(format), "allowed", format);
});

Deno.test("a format that could keep tmux busy is refused", () => {
  const refused = [
    `${"#{P:".repeat(2)}x${"}".repeat(2)}`,
    "#{W:#{S:x}}",
    "#{P:#{W:x}}",
    "#{L:#{S:x}}",
    "#{S:#{L:x}}",
    "#{p2000000000:x}",
    "#{p-2000000000:host}",
    "#{p/1001:host}",
    "#{=2000000000:host}",
    "#{=/-2147483648/x/:host}",
    "#{e|/|f|2000000000:1,3}",
    "#{s/a/aaaaaaaaaa/:#{s/a/aaaaaaaaaa/:#{s/a/aaaaaaaaaa/:host}}}",
    "#{s/a/b/:pane_title}",
    "#{s/a/b/:@mine}",
    "#{s/x*y/z/:#{p1000:host}#{p1000:host}#{p1000:host}}",
    "#{s/a*a*a*/b/:host}",
    "#{s/(a)\\1/b/:host}",
    "#{m/r:a{1,255},x}",
    "#{m/r:(a{1,255}){1,255},x}",
    "#{m/r:#{host},x}",
    "#{m/r:x,#{pane_title}}",
    "#{m:*a*a*a*a*b,#{host}}",
    `#{m:${"?".repeat(101)},x}`,
    "#{C/r:x*y}",
    "#{P:#{C:x}}",
    "#{P:#{m/r:x,#{pane_id}}}",
    "#{P:#{history_bytes}}",
    "#{history_bytes}#{history_all_bytes}#{history_bytes}#{history_all_bytes}#{history_bytes}",
    "#{R:#{R:a,9},9}",
    "#{R:%8000c,10000}",
    "#{s/a*b*/x/:#{l:%8000c}}",
    "#{buffer_full}",
    "#{client_activity}",
    "#{t:client_created}",
    "#{?buffer_created,a,b}",
    "#{L:#{client_created}}",
    "#{S:#{session_name},[#{session_name}]}",
    "#{host}".repeat(2001),
    `#{S:#{W:#{P:${"#{pane_id}".repeat(30)}}}}`,
    "#{=1:".repeat(21) + "#{host}" + "}".repeat(21),
    "x".repeat(4097),
  ];
  for (const format of refused) assertEquals(verdict(format), "denied", format);
});

Deno.test("tmux measures only text whose characters have a width", () => {
  const cleaned = "#{=99;q/h:pane_current_path}";
  const refused = [
    "#{w:host}",
    "#{w:#{l:\u0378}}",
    "#{w:caf\u0378 x}",
    "#{w:#{l:%B}}",
    "#{=-5:pane_current_path}",
    "#{=/-5/...:@mine}",
    "#{=/#{@columns}/...:host}",
    "#{p9;=-5:host}",
    "#{w:#{=99:#{l:#\u0378#[\u0379]}}}",
    "#{w:#{=99:host}}",
    "#{w:#{q/h:host}}",
    "#{w:#{=0;q/h:host}}",
    "#{w:#{=9;=0;q/h:host}}",
    "#{w:#{=/9/\u0378/;q/h:host}}",
    "#{w:#{=9;q:host}}",
    "#{w:#{=9;q/a:host}}",
    "#{w:#{=9;q/h;t/f/#:[%B/:host}}",
    "#{w:#{=9;q/h:#{host}}}",
    `#{w:${cleaned}#{host}}`,
    `#{s/a/\u0378/;w:${cleaned}}`,
    `#{w;=/-9/\u0378/:${cleaned}}`,
    `#{W:#{=-5:window_name}}`,
    "#{?pane_active,#{=-5:host},x}",
  ];
  for (const format of refused) assertEquals(verdict(format), "denied", format);
  const fine = [
    "#{w;=99;q/h:host}",
    "#{w:x y}",
    `#{w:${cleaned} in ${cleaned}}`,
    `#{=-20:${cleaned}}`,
    `#{=/-20/…/:${cleaned}}`,
    `#{w;p9:${cleaned}}`,
    "#{=/20/…/:host}",
  ];
  for (const format of fine) assertEquals(verdict(format), "allowed", format);
});

/** The default of status-format[0] in tmux 3.4 and later, but for what separates windows. */
function firstRow(separator: string): string {
  const style = (name: string) =>
    `#{?#{&&:#{window_last_flag},#{!=:#{E:window-status-last-style},default}}, #{E:window-status-last-style},}` +
    `#{?#{&&:#{window_bell_flag},#{!=:#{E:window-status-bell-style},default}}, #{E:window-status-bell-style},` +
    `#{?#{&&:#{||:#{window_activity_flag},#{window_silence_flag}},` +
    `#{!=:#{E:window-status-activity-style},default}}, #{E:window-status-activity-style},}}]` +
    `#[push-default]#{T:${name}}#[pop-default]`;
  const own = "#{E:window-status-style}";
  return "#[align=left range=left #{E:status-left-style}]#[push-default]" +
    "#{T;=/#{status-left-length}:status-left}#[pop-default]#[norange default]" +
    "#[list=on align=#{status-justify}]#[list=left-marker]<#[list=right-marker]>#[list=on]" +
    `#{W:#[range=window|#{window_index} ${own}${
      style("window-status-format")
    }#[norange default]${separator},` +
    "#[range=window|#{window_index} list=focus " +
    `#{?#{!=:#{E:window-status-current-style},default},#{E:window-status-current-style},${own}}` +
    `${style("window-status-current-format")}#[norange list=on default]${separator}}` +
    "#[nolist align=right range=right #{E:status-right-style}]#[push-default]" +
    "#{T;=/#{status-right-length}:status-right}#[pop-default]#[norange default]";
}

/** The default of status-format[1] in tmux 3.6 and later, but for what it shows of a pane. */
function secondRow(pane: string, current: string): string {
  return "#[align=left]#{R: ,#{n:#{session_name}}}P: #[norange default]" +
    "#[list=on align=#{status-justify}]#[list=left-marker]<#[list=right-marker]>#[list=on]" +
    `#{P:#[range=pane|#{pane_id} #{E:pane-status-style}]#[push-default]${pane}#[pop-default]` +
    "#[norange list=on default]  ,#[range=pane|#{pane_id} list=focus " +
    "#{?#{!=:#{E:pane-status-current-style},default},#{E:pane-status-current-style},#{E:pane-status-style}}]" +
    `#[push-default]${current}#[pop-default]#[norange list=on default] }`;
}

const PANES = "#[align=centre]#{P:#{?pane_active,#[reverse],}" +
  "#{pane_index}[#{pane_width}x#{pane_height}]#[default] }";

const STATUS_LINES = {
  "3.2a [0]": firstRow("#{?window_end_flag,,#{window-status-separator}}").replaceAll("E:", ""),
  "3.4 [0]": firstRow("#{?window_end_flag,,#{window-status-separator}}"),
  "3.6b [0]": firstRow("#{?loop_last_flag,,#{window-status-separator}}"),
  "3.7 [0]": firstRow("#{?loop_last_flag,,#{E:window-status-separator}}"),
  "3.2a, 3.4 [1]": PANES,
  "3.6b [1]": secondRow("#P[#{pane_width}x#{pane_height}]", "#P[#{pane_width}x#{pane_height}]*"),
  "3.7 [1]": secondRow("#{T:window-pane-status-format}", "#{T:window-pane-current-status-format}"),
  "a short session name": "[#{?client_prefix,#[reverse]<Prefix>#[noreverse] ,}#{=-20:session_name}] ",
  "status-right":
    '#{?window_bigger,[#{window_offset_x}#,#{window_offset_y}] ,}"#{=21:pane_title}" %H:%M %d-%b-%y',
  "catppuccin's session":
    "#{?client_prefix,#[bg=#{@thm_red}#,fg=#{@thm_bg}#,bold]  #S ,#[bg=#{@thm_bg}#,fg=#{@thm_green}]  #S }",
  "catppuccin's window":
    "#[fg=#{@thm_crust},bg=#{@thm_overlay_2}] #I #[fg=#{@thm_fg}] #{?#{!=:#{window_name},},#W,#T} ",
  "catppuccin's modules": "#{E:@catppuccin_status_application}#{E:@catppuccin_status_session}",
  "catppuccin's folder": " #{=/-32/...:#{=999;q/h;s|/home/me|~|;d:pane_current_path}} ",
  "tmux-power":
    "#[fg=#262626,bg=#ffb86c,bold]  me@#h #[fg=#ffb86c,bg=#3a3a3a,nobold]#[fg=#ffb86c,bg=#3a3a3a] #S ",
  "tmux-power's window": "#[fg=#121212,bg=#3a3a3a]#[fg=#ffb86c,bg=#3a3a3a] #I:#W#F #[fg=#3a3a3a,bg=#121212]",
  "powerline":
    '#(env "$POWERLINE_COMMAND" tmux right -R pane_id=`tmux display -p "#D"` --width=#{client_width})',
};

Deno.test("tmux's own status lines, and those of well-known themes, are allowed", () => {
  for (const [name, format] of Object.entries(STATUS_LINES)) {
    assertEquals(verdictOf(format, { jobs: true }), "allowed", name);
  }
});

Deno.test("tmux measures what it has checked or written itself", () => {
  const fine = [
    "#{=-1:pane_id}",
    "#{w:window_flags}",
    "#{=/-30/…/:pane_title}",
    "#{w:#{session_name}: #T}",
    "#{w;b:pane_title}",
    "#{w:#{=9;q:session_name}}",
    "#{=/#{pane_width}/…/:pane_current_path}",
    "#{w:#{=99;q/h;s|^/home/me|~|;s/ /_/:pane_current_path}}",
  ];
  for (const format of fine) assertEquals(verdict(format), "allowed", format);
  const refused = [
    "#{w:session_width}",
    "#{w:pane_title[0]}",
    "#{w:window_name}",
    "#{w:pane_current_command}",
    "#{w:#{=/9/\u0378/:pane_title}}",
    "#{w;=/9/\u0378/:pane_title}",
    "#{w;s/a/\u0378/:session_name}",
    "#{w:#{t/f/%%B:pane_title}}",
    "#{=/#{pane_top}/…/:pane_current_path}",
    "#{w:#{=99;q/h;s/./x/:pane_current_path}}",
    "#{w:#{=99;q/h;s/$/x/:pane_current_path}}",
    "#{w:#{=99;q/h;s//x/:pane_current_path}}",
    "#{w:#{=99;q/h;s/a/\u0378/:pane_current_path}}",
    "#{w:#{=99;q/h;s/a/\\1/:pane_current_path}}",
    "#{w:#{=99;s/a/b/:pane_current_path}}",
  ];
  for (const format of refused) assertEquals(verdict(format), "denied", format);
});

Deno.test("without a pane a format is about the server, and what it loops over", () => {
  const server = [
    "#{version}",
    "#{host}",
    "#{S:#{session_name}#{W:#{P:#{pane_id}}}}",
    "#{N/s:x}",
    "#{?#{L:x},a,b}",
    "x",
  ];
  for (const format of server) assertEquals(verdictOf(format, { pane: false }), "allowed", format);
  const ofPane = [
    "#{pane_id}",
    "#S",
    "#{session_name}",
    "#{W:x}",
    "#{P:x}",
    "#{?pane_active,a,b}",
    "#{history-limit}",
  ];
  for (const format of ofPane) assertEquals(verdictOf(format, { pane: false }), "invalid-argument", format);
});

Deno.test("allow_list = false: a format lists nothing", () => {
  for (const format of ["#{S:x}", "#{W:x}", "#{P:x}", "#{L:x}", "#{N/s:x}", "#{session_group_list}"]) {
    assertEquals(verdictOf(format, { lists: false }), "denied", format);
  }
});

Deno.test("window names have no time of a session, which tmux 3.2 doesn't have there", () => {
  for (const name of ["session_activity", "session_created", "session_last_attached"]) {
    const format = `#{?#{${name}},#{t:${name}},}`;
    assertEquals([verdictOf(format), verdictOf(format, { session: false })], ["allowed", "denied"], name);
  }
  assertEquals(verdictOf("#{session_name}#{window_activity}", { session: false }), "allowed");
});
