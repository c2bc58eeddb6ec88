// Draws an asciicast recording as an animated SVG; each row is drawn once for each text it shows.
import { openEmulator } from "../../src/terminal/emulator.ts";
import { type Screen, screenOf } from "../../src/terminal/screen.ts";
import { drawRows, frameSvg, pictureSize } from "../../src/terminal/pictures/svg.ts";
import type { Theme } from "../../src/terminal/pictures/theme.ts";

/** Output within this time is one frame (s). */
const FRAME_SECONDS = 0.06;
/** Maximum wait between frames (s). */
const MAX_WAIT = 2.2;
/** Time for which the last frame stays (s). */
const LAST_SECONDS = 5;

interface Frame {
  screen: Screen;
  seconds: number;
}

/** Plays a recording; each frame is the screen until the next output. */
async function readFrames(cast: string): Promise<Frame[]> {
  const [header = "", ...lines] = cast.trim().split("\n");
  const { width, height } = JSON.parse(header);
  const terminal = await openEmulator({ columns: width, rows: height });
  const events = lines.map((line): [number, string, string] => JSON.parse(line)).filter(([, code]) =>
    code === "o"
  );
  const frames: Frame[] = [];
  for (const [at, [time, , data]] of events.entries()) {
    await new Promise<void>((resolve) => terminal.write(data, resolve));
    const wait = (events[at + 1]?.[0] ?? Infinity) - time;
    if (wait < FRAME_SECONDS) continue;
    const seconds = wait === Infinity ? LAST_SECONDS : Math.min(wait, MAX_WAIT);
    frames.push({ screen: screenOf(terminal), seconds });
  }
  terminal.dispose();
  return frames;
}

/** Keyframes of a row that is visible in these intervals, as percentages of the total time. */
function keyframes(name: string, shown: readonly [number, number][]): string {
  const steps = shown.flatMap(([from, to]) => [`${from}%{visibility:visible}`, `${to}%{visibility:hidden}`]);
  const start = shown[0]![0] === 0 ? "" : "0%{visibility:hidden}";
  return `@keyframes ${name}{${start}${steps.join("")}}`;
}

/** Draws a recording. Viewers that don't animate show the last frame. */
export async function drawFilm(cast: string, theme: Theme): Promise<string> {
  const frames = await readFrames(cast);
  const total = frames.reduce((sum, { seconds }) => sum + seconds, 0);
  const shown = new Map<string, [number, number][]>();
  let began = 0;
  for (const { screen, seconds } of frames) {
    const [from, to] = [began, began + seconds].map((at) => Math.round(at / total * 1e5) / 1e3);
    for (const row of drawRows(screen, theme)) {
      if (row === "") continue;
      const intervals = shown.get(row) ?? [];
      if (intervals.at(-1)?.[1] === from) intervals.at(-1)![1] = to!;
      else intervals.push([from!, to!]);
      shown.set(row, intervals);
    }
    began += seconds;
  }
  const rules: string[] = [];
  const rows = [...shown].map(([row, intervals], at) => {
    if (intervals[0]![0] === 0 && intervals[0]![1] === 100) return row;
    rules.push(keyframes(`k${at}`, intervals));
    const still = intervals.at(-1)![1] === 100 ? "" : ";visibility:hidden";
    return `<g style="animation-name:k${at}${still}">${row}</g>`;
  });
  const style = `<style>g{animation:${total.toFixed(2)}s step-end infinite}` +
    `@media(prefers-reduced-motion:reduce){g{animation:none}}${rules.join("")}</style>`;
  const first = frames[0]!.screen;
  return frameSvg(pictureSize(first.columns, first.rows.length), theme, style + rows.join(""));
}
