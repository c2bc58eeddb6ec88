// Arguments of ssh in a configuration: allowed and refused.
import { assertEquals, assertThrows } from "@std/assert";
import { AppError } from "../../../src/errors.ts";
import { parseSshWords } from "../../../src/tmux/ssh/words.ts";

const TAKEN: Record<string, [options: string[], destination: string]> = {
  "web": [[], "web"],
  "  -p 2222   me@example.net ": [["-p", "2222"], "me@example.net"],
  "-p2222 -4Ai '/a key' -J jump,other web": [["-p2222", "-4Ai", "/a key", "-J", "jump,other"], "web"],
  [String.raw`-o "ProxyCommand=nc \"%h\" %p" -F my\ config web`]: [
    ["-o", 'ProxyCommand=nc "%h" %p', "-F", "my config"],
    "web",
  ],
  "-p 22 -- web": [["-p", "22"], "web"],
  "ssh://me@example.net:2222": [[], "ssh://me@example.net:2222"],
};

for (const [text, [options, destination]] of Object.entries(TAKEN)) {
  Deno.test(`ssh words: ${text}`, () => assertEquals(parseSshWords(text), { options, destination }));
}

const REFUSED: Record<string, RegExp> = {
  "": /does not name a machine/,
  "-p 22": /does not name a machine/,
  "-p": /-p has no value/,
  "-oProxyCommand=id": /does not name a machine/,
  "-- -oProxyCommand=id": /is not the name of a machine/,
  "me@-oProxyCommand=id": /is not the name of a machine/,
  "ssh://-oProxyCommand=id": /is not the name of a machine/,
  "'two words'": /is not the name of a machine/,
  "web uptime": /"uptime" follows the machine/,
  "web -p 22": /"-p" follows the machine/,
  "-N web": /-N is not allowed/,
  "-tt web": /-t is not allowed/,
  "-4S /tmp/other web": /-S is not allowed/,
  "-o ControlPath=/tmp/other web": /ControlPath=\/tmp\/other is not allowed/,
  "-oBatchMode=no web": /BatchMode=no is not allowed/,
  "-Z web": /no option -Z/,
  "-i 'open web": /a ' is not closed/,
};

for (const [text, why] of Object.entries(REFUSED)) {
  Deno.test(`ssh words that are refused: ${text}`, () => {
    assertThrows(() => parseSshWords(text), AppError, why.source.replaceAll("\\", ""));
  });
}
