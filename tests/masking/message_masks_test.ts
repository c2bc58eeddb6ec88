// Secrets in messages: in JSON, keys, numbers, beside pictures, and where programs print JSON.
import { assert, assertEquals } from "@std/assert";
import { loadMasks } from "../../src/masking/masks.ts";
import { MessageMasks } from "../../src/masking/message_masks.ts";

const TOKEN = "ghp_A1b2C3d4E5f6G7h8";
const QUOTED = 'pass"word\\';

async function masksOf(...given: string[]): Promise<MessageMasks> {
  const masks = await loadMasks(given, (name) => ({ TOKEN })[name]);
  assert(masks);
  return new MessageMasks(masks);
}

Deno.test("a message is masked in its JSON texts too, and keeps its id and pictures", async () => {
  const masks = await masksOf("env:TOKEN", `literal:${QUOTED}`);
  const structuredContent = { output: `${QUOTED}\n${TOKEN}`, lines: [TOKEN.slice(0, 9), TOKEN.slice(9)] };
  const content = [{ type: "text", text: JSON.stringify(structuredContent) }, {
    type: "image",
    data: TOKEN,
    mimeType: "image/png",
  }];
  const message = masks.mask({ jsonrpc: "2.0", id: TOKEN, result: { structuredContent, content } });
  assertEquals(message.id, TOKEN);
  assertEquals(message.result.structuredContent, { output: "[masked]\n[masked]", lines: ["[masked]", ""] });
  assertEquals(
    message.result.content,
    [
      { type: "text", text: JSON.stringify(message.result.structuredContent) },
      content[1]!,
    ] as typeof content,
  );
});

Deno.test("text that happens to be JSON is masked like any text", async () => {
  const masks = await masksOf("env:TOKEN", "literal:12345678", 'regex:"pass":"[^"]*"');
  const maskText = (text: string) =>
    masks.mask({ result: { content: [{ type: "text", text }] } }).result.content[0]!;
  for (
    const [text, masked] of [
      ...["id", "jsonrpc", "method", "progressToken", "data", "blob", "text"].map((key) => [
        JSON.stringify({ [key]: TOKEN, mimeType: "x", type: "image" }),
        JSON.stringify({ [key]: "[masked]", mimeType: "x", type: "image" }),
      ]),
      [`{"${TOKEN}":1}`, '{"[masked]":1}'],
      ['{"pin":12345678}', '{"pin":"[masked]"}'],
      ["[12345678,1234]", '["[masked]",1234]'],
      ['{"pass":"anything","user":"me"}', '{[masked],"user":"me"}'],
      [
        `{"content":[{"type":"image","data":"${TOKEN}"}]}`,
        '{"content":[{"type":"image","data":"[masked]"}]}',
      ],
    ] as [string, string][]
  ) {
    assertEquals(maskText(text).text, masked);
    const inside = masks.mask({ result: { structuredContent: { output: text } } });
    assertEquals(inside.result.structuredContent.output, masked);
  }
});

Deno.test("only a picture among the blocks of an answer is left as it is", async () => {
  const masks = await masksOf("env:TOKEN");
  const variables = {
    mimeType: "x",
    data: "x",
    blob: TOKEN,
    type: "image",
    id: TOKEN,
    other: TOKEN,
    [TOKEN]: "x",
  };
  const { result } = masks.mask({
    result: {
      structuredContent: { variables, content: [variables] },
      contents: [{ uri: `x:${TOKEN}`, mimeType: "image/png", blob: TOKEN }],
      content: [{ type: "image", data: TOKEN, mimeType: TOKEN }],
    },
  });
  const masked = { mimeType: "x", data: "x", type: "image", "[masked]": "x" };
  const hidden = { ...masked, blob: "[masked]", id: "[masked]", other: "[masked]" };
  assertEquals(
    result.structuredContent,
    { variables: hidden, content: [hidden] } as unknown as typeof result.structuredContent,
  );
  assertEquals(result.contents, [{ uri: "x:[masked]", mimeType: "image/png", blob: TOKEN }]);
  assertEquals(result.content, [{ type: "image", data: TOKEN, mimeType: "[masked]" }]);
});

Deno.test("a secret that an address encodes is masked, and other addresses stay encoded", async () => {
  const masks = await masksOf(`literal:${QUOTED}`, "regex:pass=\\w+");
  const uris = [`a b ${QUOTED}`, "pass=anything", "50% of me", "%"].map((name) =>
    `tmux://session/${name === "%" ? name : encodeURIComponent(name)}`
  );
  const { result } = masks.mask({ result: { resources: uris.map((uri) => ({ uri })) } });
  const masked = ["tmux://session/a b [masked]", "tmux://session/[masked]", ...uris.slice(2)];
  assertEquals(result.resources.map(({ uri }) => uri), masked);
});

Deno.test("what the receiver of a message compares is left as it is, at its own place", async () => {
  const masks = await masksOf("env:TOKEN", "regex:notifications/\\w+");
  const params = { progressToken: TOKEN, message: TOKEN, id: TOKEN };
  const message = { jsonrpc: "2.0", id: TOKEN, method: "notifications/progress", params };
  assertEquals(masks.mask(message), {
    ...message,
    params: { progressToken: TOKEN, message: "[masked]", id: "[masked]" },
  });
});
