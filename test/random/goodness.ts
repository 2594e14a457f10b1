/** Goodness-of-fit tests at levels at which a correct generator fails about once in ten million runs. */

/** A uniform sample exceeds this multiple of 1/√n in Kolmogorov–Smirnov distance with probability 2 exp(-2 x²) = 1e-7. */
const KOLMOGOROV = Math.sqrt(-Math.log(1e-7 / 2) / 2);

/** Standard normal quantile of 1 - 1e-7. */
const NORMAL = 5.2;

const FEWEST_EXPECTED = 10;

/**
 * The evidence against a uniform distribution of the values on (0, 1); null without evidence. Values up to `from` and from `to` are only
 * counted: within these ranges, they may be any numbers.
 */
export function misfitOfUniform(values: Float64Array, from = 0, to = 1): string | null {
  const sorted = Float64Array.from(values).sort();
  const n = sorted.length;
  if (!(sorted[0] >= 0 && sorted[n - 1] <= 1)) return `from ${sorted[0]} to ${sorted[n - 1]}`;
  const inside = (u: number): number => Math.min(Math.max(u, from), to);
  // if a step of the sample's distribution function extends beyond the limits, only its inner end counts
  const above = (u: number, i: number): number => (u >= to ? 0 : (i + 1) / n - inside(u));
  const below = (u: number, i: number): number => (u <= from ? 0 : inside(u) - i / n);
  const distance = sorted.reduce((most, u, i) => Math.max(most, above(u, i), below(u, i)), 0);
  const scaled = distance * Math.sqrt(n);
  return scaled <= KOLMOGOROV ? null : `Kolmogorov–Smirnov statistic ${scaled} above ${KOLMOGOROV}`;
}

/**
 * The evidence against these probabilities of the values `from`, `from` + 1, …; the remaining mass is elsewhere. Uses Pearson's statistic,
 * with neighboring values merged until their expected counts suffice, and its approximate distribution by Wilson and Hilferty, Proc. Natl.
 * Acad. Sci. 17 (1931).
 */
export function misfitOfMasses(values: Float64Array, from: number, masses: Float64Array): string | null {
  const counts = new Float64Array(masses.length + 1);
  for (const value of values) {
    const place = value - from;
    counts[place >= 0 && place < masses.length ? place : masses.length] += 1;
  }
  const rest = Math.max(0, 1 - masses.reduce((sum, p) => sum + p, 0));
  const cells: { count: number; expected: number }[] = [];
  let cell = { count: 0, expected: 0 };
  for (const [k, p] of [...masses, rest].entries()) {
    cell = { count: cell.count + counts[k], expected: cell.expected + p * values.length };
    if (cell.expected >= FEWEST_EXPECTED) {
      cells.push(cell);
      cell = { count: 0, expected: 0 };
    }
  }
  const last = cells.pop() ?? { count: 0, expected: 0 };
  cells.push({ count: last.count + cell.count, expected: last.expected + cell.expected });
  if (cells.length === 1) return cells[0].count === values.length ? null : 'values outside of the support';
  const statistic = cells.reduce((sum, { count, expected }) => sum + (count - expected) ** 2 / expected, 0);
  const freedom = cells.length - 1;
  const spread = 2 / (9 * freedom);
  const z = (Math.cbrt(statistic / freedom) - (1 - spread)) / Math.sqrt(spread);
  return z <= NORMAL ? null : `Pearson's statistic ${statistic} with ${freedom} degrees of freedom`;
}
