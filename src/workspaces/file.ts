// Reads a workspace's source: a file, or text in YAML or JSON.
import { decodeUtf8 } from "../bytes.ts";
import { AppError } from "../errors.ts";
import { checkRegularFile } from "../stat.ts";
import { joinFolder } from "./expand.ts";
import { WrittenNumber } from "./fields.ts";

const MAX_BYTES = 1024 * 1024;
/** YAML 1.1 reads these letters as booleans. PyYAML, and so tmuxp, reads them as text. */
const LETTER = {
  tag: "tag:yaml.org,2002:str",
  default: true,
  test: /^[yn]$/i,
  resolve: (text: string) => text,
};

/**
 * The text of a file, and the folder for its relative paths.
 * @throws {AppError} `not-found`, `invalid-argument`
 */
export async function readWorkspaceFile(path: string): Promise<{ text: string; folder: string }> {
  checkRegularFile(path);
  const folder = joinFolder(path, Deno.cwd()).replace(/\/[^/]*$/, "") || "/";
  try {
    const { size } = await Deno.stat(path);
    if (size <= MAX_BYTES) return { text: decodeUtf8(await Deno.readFile(path)), folder };
  } catch (error) {
    const isMissing = error instanceof Deno.errors.NotFound;
    const reason = isMissing
      ? "there is no such file"
      : error instanceof Error
      ? error.message
      : String(error);
    throw new AppError(isMissing ? "not-found" : "invalid-argument", `Cannot read "${path}": ${reason}`, {
      hint: "Give the path of a workspace file, such as /home/me/project/.tmuxp.yaml",
    });
  }
  throw new AppError("invalid-argument", `Cannot read "${path}": it is larger than ${MAX_BYTES} bytes`, {
    hint: "Give a workspace file",
  });
}

/**
 * Parses YAML by the rules of 1.1, as tmuxp does; JSON is YAML too.
 * @throws {AppError} `invalid-argument` with the line
 */
export async function parseWorkspace(text: string): Promise<unknown> {
  const { parseDocument, visit, YAMLError } = await import("yaml");
  try {
    const document = parseDocument(text, {
      version: "1.1",
      logLevel: "error",
      customTags: (tags) => [LETTER, ...tags],
    });
    if (document.errors[0]) throw document.errors[0];
    visit(document, {
      Scalar: (key, node) => {
        if (key !== "key" && typeof node.value === "number") node.value = asWritten(node.value, node.source);
      },
      Alias: (_, node, path) => {
        // To resolve each alias would take a file's length each time.
        const around = path.filter((each) => "anchor" in each && each.anchor === node.source);
        if (around.length > 0 && around.includes(node.resolve(document)!)) throw circular(node.source);
      },
    });
    return document.toJS();
  } catch (error) {
    if (!(error instanceof YAMLError || error instanceof ReferenceError)) throw error;
    const [reason = ""] = error.message.split("\n");
    throw new AppError("invalid-argument", `Cannot read the workspace: ${reason.replace(/:$/, "")}`, {
      hint: "Give YAML or JSON in the format of tmuxp",
    });
  }
}

/** An error for an alias whose value would contain itself; it can't be shown as JSON. */
function circular(alias: string): AppError {
  const what = `Cannot read the workspace: alias *${alias} is inside what it stands for`;
  return new AppError("invalid-argument", what, { hint: "Write out what is meant there" });
}

/** Keeps the spelling of a number that has another one, such as `08080` or one of more digits than are exact. */
function asWritten(value: number, source: string | undefined): number | WrittenNumber {
  return source === undefined || source === String(value) ? value : new WrittenNumber(value, source);
}
