import { geometricMean } from '../corpus.js';
import { gradientsNeeded, type Measurement, samplingSecondsNeeded, secondsNeeded } from './measure.js';
import type { NamedSampler } from './samplers.js';

/** Chains whose R-hat is larger have not found the same distribution. */
const MIXED = 1.05;

/**
 * The measurements as tables in Markdown: gradients in thousands and processor seconds to 400 effective draws by posterior, in the geometric mean over
 * seeds, then the geometric means over posteriors. An asterisk marks an R-hat above 1.05.
 */
export function table(measurements: readonly Measurement[], samplers: readonly NamedSampler[]): string {
  const names = samplers.map(({ name }) => name);
  const posteriors = [...new Set(measurements.map(({ posterior }) => posterior))].sort();
  const cells = (needed: (measurement: Measurement) => number, digits: number): string[] => {
    const means = (posterior: string) => names.map((name) => meanOf(measurements, posterior, name, needed));
    const rows = posteriors.map((posterior) => {
      const shown = names.map((name, k) => {
        const value = means(posterior)[k];
        return value === undefined
          ? ''
          : `${format(value, digits)}${isMixed(measurements, posterior, name) ? '' : '*'}`;
      });
      return `| ${posterior} | ${shown.join(' | ')} |`;
    });
    const complete = posteriors.map(means).filter((row) => row.every((value) => value !== undefined));
    const head = [
      `| posterior | ${samplers.map(({ title }) => title).join(' | ')} |`,
      `| --- |${' ---: |'.repeat(names.length)}`,
      ...rows,
    ];
    if (complete.length === 0) return head;
    const overall = names.map((_, k) => geometricMean(complete.map((row) => row[k] ?? Number.NaN)));
    const shares = overall.map((value) => (value / overall[0]).toFixed(2));
    return [
      ...head,
      `| geometric mean of ${complete.length} | ${overall.map((value) => format(value, digits)).join(' | ')} |`,
      `| share of the first | ${shares.join(' | ')} |`,
    ];
  };
  return [
    'Thousands of gradients:',
    '',
    ...cells((measurement) => gradientsNeeded(measurement) / 1000, 1),
    '',
    'Processor seconds:',
    '',
    ...cells(secondsNeeded, 2),
    '',
    'Processor seconds without compilation:',
    '',
    ...cells(samplingSecondsNeeded, 2),
  ].join('\n');
}

/** The geometric mean over seeds; undefined without measurements. */
export function meanOf(
  measurements: readonly Measurement[],
  posterior: string,
  sampler: string,
  needed: (measurement: Measurement) => number,
): number | undefined {
  const values = measurements.filter((each) => each.posterior === posterior && each.sampler === sampler).map(needed);
  return values.length === 0 ? undefined : geometricMean(values);
}

function isMixed(measurements: readonly Measurement[], posterior: string, sampler: string): boolean {
  return measurements
    .filter((each) => each.posterior === posterior && each.sampler === sampler)
    .every(({ rhat }) => rhat <= MIXED);
}

function format(value: number, digits: number): string {
  return value >= 100 ? value.toFixed(0) : value.toFixed(digits);
}
