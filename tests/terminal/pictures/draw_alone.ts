// A program of its own that draws one picture and says how large it is.
import { PngRenderer } from "../../../src/terminal/pictures/png.ts";
import { parseScreen } from "../../../src/terminal/screen.ts";
import { THEMES } from "../../../src/terminal/pictures/theme.ts";

const screen = await parseScreen({ text: "日本 🚀", columns: 20, rows: 2 });
const { width, height } = await new PngRenderer().draw(screen, THEMES.dark);
await Deno.stdout.write(new TextEncoder().encode(`${width} ${height}\n`));
