// Numbers that look random and are the same in every run.

/** A source (an LCG of Numerical Recipes) of whole numbers from 0 up to, but not including, `limit`. */
export function numbers(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor(state / 2 ** 32 * limit);
  };
}
