// Colors for pictures of a terminal.

export type ThemeName = "dark" | "light";

/** Colors as `#rrggbb`. */
export interface Theme {
  foreground: string;
  background: string;
  cursor: string;
  /** Colors 0-15. */
  palette: readonly string[];
}

export const THEMES: Readonly<Record<ThemeName, Theme>> = {
  dark: {
    foreground: "#d4d7dd",
    background: "#16181d",
    cursor: "#d4d7dd",
    palette: split(
      "3b414d d9545f 5fae4e cf9b2e 4a90e2 b36bd4 2fa3b3 c3c8d1 767d8b ff7b84 8fd47a f0c75e 77b0ff d292f0 5fd0e0 ffffff",
    ),
  },
  light: {
    foreground: "#24292f",
    background: "#ffffff",
    cursor: "#24292f",
    palette: split(
      "24292f c42b30 2b8a3e 946800 2468d2 8f47bd 16879c 9aa3ad 57606a d9434c 37a24d b07d0c 3f86e8 a961d2 2199ad 6e7781",
    ),
  },
};

/** Color of the 256-color palette: 16 from the theme, a 6×6×6 cube and 24 grays, as in xterm. */
export function paletteColour(index: number, theme: Theme): string {
  if (index < 16) return theme.palette[index] as string;
  const gray = 8 + (index - 232) * 10;
  if (index >= 232) return rgb(gray, gray, gray);
  const cube = index - 16;
  return rgb(level(Math.floor(cube / 36)), level(Math.floor(cube / 6) % 6), level(cube % 6));
}

/** `#rrggbb` between two colours; `share` of the second, 0-1. */
export function mix(first: string, second: string, share: number): string {
  const channel = (at: number): number => {
    const [a, b] = [first, second].map((colour) => parseInt(colour.slice(at, at + 2), 16));
    return Math.round(a! + (b! - a!) * share);
  };
  return rgb(channel(1), channel(3), channel(5));
}

function level(step: number): number {
  return step === 0 ? 0 : 55 + step * 40;
}

function rgb(...channels: [number, number, number]): string {
  return "#" + channels.map((value) => value.toString(16).padStart(2, "0")).join("");
}

function split(colours: string): readonly string[] {
  return colours.split(" ").map((colour) => `#${colour}`);
}
