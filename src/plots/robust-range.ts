/** Axes for heavy-tailed values, on which the bulk of the values remains visible. */
import { quantiles } from '../inference/diagnostics/moments.js';
import { type Domain, extentOf } from './scale.js';
import type { PlotWords } from './words.js';

/** Number of interquartile ranges beyond the quartiles: 7.4 standard deviations from the mean of a normal distribution. */
const REACH = 5;

/**
 * The extent of the finite values, excluding values further than five interquartile ranges from the quartiles: Tukey's
 * fences (Exploratory Data Analysis, 1977, section 2), wide enough to include all values of a normal distribution. If
 * half of the values are equal, the whole extent.
 */
export function robustRange(values: Float64Array): Domain {
  const [least, greatest] = extentOf(values);
  const [lower, upper] = quantiles(values.filter(Number.isFinite), [0.25, 0.75]);
  const reach = REACH * (upper - lower);
  return reach > 0 ? [Math.max(least, lower - reach), Math.min(greatest, upper + reach)] : [least, greatest];
}

export function isWithin(value: number, [from, to]: Domain): boolean {
  return value >= from && value <= to;
}

/** A sentence about the values that an axis excludes, with a leading space; empty if the axis shows all values. */
export function outsideNote(
  values: Float64Array,
  domain: Domain,
  key: 'outsideValues' | 'outsideSimulations' | 'outsideDraws',
  words: PlotWords,
): string {
  const outside = values.reduce((count, value) => count + (isWithin(value, domain) ? 0 : 1), 0);
  return outside === 0 ? '' : ` ${words(key, { percent: words.short((100 * outside) / values.length, 2) })}`;
}
