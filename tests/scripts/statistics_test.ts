// Quantiles are those of the samples, and a table lines up.
import { assertEquals } from "@std/assert";
import { formatTable, quantile, summarise } from "../../scripts/measure/statistics.ts";

Deno.test("quantile is the nearest rank", () => {
  const hundred = Array.from({ length: 100 }, (_, index) => index + 1);
  assertEquals([quantile(hundred, 0.5), quantile(hundred, 0.95), quantile([7], 0.95)], [50, 95, 7]);
  assertEquals(quantile([], 0.5), NaN);
});

Deno.test("summarise sorts numbers as numbers", () => {
  const { p50, max, runs } = summarise("x", [10, 9, 100]);
  assertEquals([p50, max, runs], [10, 100, 3]);
});

Deno.test("formatTable puts figures in columns", () => {
  assertEquals(
    formatTable([summarise("a", [1234.5]), summarise("longer", [0.5], { unit: "%", note: "goal 1" })]),
    [
      "          p50    p95    max  unit  runs",
      "a        1235   1235   1235  ms    1",
      "longer  0.500  0.500  0.500  %     1     goal 1",
    ].join("\n"),
  );
});
