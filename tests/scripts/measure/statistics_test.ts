// Quantiles are those of the samples, and a table lines up.
import { assertEquals } from "@std/assert";
import { compare, formatTable, quantile, summarise } from "../../../scripts/measure/statistics.ts";

Deno.test("quantile is the nearest rank", () => {
  const hundred = Array.from({ length: 100 }, (_, index) => index + 1);
  assertEquals([quantile(hundred, 0.5), quantile(hundred, 0.95), quantile([7], 0.95)], [50, 95, 7]);
  assertEquals(quantile([], 0.5), NaN);
});

Deno.test("summarise sorts numbers as numbers", () => {
  const { p50, max, runs } = summarise([10, 9, 100]);
  assertEquals([p50, max, runs], [10, 100, 3]);
});

Deno.test("compare brings a server's turns together, and says how it does against the others", () => {
  const own = [{ name: "a", samples: [1] }, { name: "a", samples: [3, 2] }, { name: "mine", samples: [5] }];
  const [a, mine] = compare({ own, peer: [{ name: "a", samples: [4] }] });
  assertEquals(a?.servers.own, { runs: 3, p50: 2, p95: 3, max: 3 });
  assertEquals([a?.ratios, mine?.ratios], [{ peer: 0.5 }, {}]);
});

Deno.test("compare tells a reading as a multiple of another of its run", () => {
  const readings = [{ name: "all", samples: [6], over: "  floor", note: "goal 2" }, {
    name: "  floor",
    samples: [4],
  }];
  assertEquals(compare({ own: readings })[0]?.note, "1.50 x floor, goal 2");
});

Deno.test("formatTable puts figures in columns", () => {
  const readings = [{ name: "a", samples: [1234.5] }, {
    name: "longer",
    samples: [0.5],
    unit: "%",
    note: "goal 1",
  }];
  assertEquals(
    formatTable(compare({ own: readings })),
    [
      "          p50    p95    max  unit  runs  note",
      "a        1235   1235   1235  ms       1",
      "longer  0.500  0.500  0.500  %        1  goal 1",
    ].join("\n"),
  );
});

Deno.test("formatTable shows servers side by side, with what one of them lacks as a dash", () => {
  const own = [{ name: "a", samples: [10] }, { name: "b", samples: [1] }];
  assertEquals(
    formatTable(compare({ own, peer: [{ name: "a", samples: [20] }] })),
    [
      "   own p50   p95  peer p50   p95  / peer  unit  runs  note",
      "a     10.0  10.0      20.0  20.0    0.50  ms       1",
      "b     1.00  1.00         -     -       -  ms       1",
    ].join("\n"),
  );
});
