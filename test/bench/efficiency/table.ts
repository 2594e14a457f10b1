import { geometricMean } from '../corpus.js';
import { gradientsNeeded, type Measurement, samplingSecondsNeeded, secondsNeeded } from './measure.js';
import type { NamedSampler } from './samplers.js';

/** Chains whose R-hat is larger have not found the same distribution. */
const MIXED = 1.05;

/** What 400 effective draws take; undefined if it was not measured. */
type Needed = (measurement: Measurement) => number | undefined;

/**
 * The measurements as tables in Markdown: gradients in thousands and processor seconds to 400 effective draws by posterior, in the geometric mean over
 * seeds; below them, geometric means over the posteriors that all samplers have; then what samplers take in comparison with the first. An asterisk
 * marks an R-hat above 1.05.
 */
export function table(measurements: readonly Measurement[], samplers: readonly NamedSampler[]): string {
  const posteriors = [...new Set(measurements.map(({ posterior }) => posterior))].sort();
  const mean = (over: readonly string[], sampler: string, needed: Needed): number | undefined => {
    const means = over.map((posterior) => meanOf(measurements, posterior, sampler, needed));
    const values = means.filter((value) => value !== undefined);
    return values.length === over.length ? geometricMean(values) : undefined;
  };
  const complete = posteriors.filter((posterior) =>
    samplers.every(({ name }) => mean([posterior], name, gradientsNeeded) !== undefined),
  );
  const rows = (shown: (over: readonly string[], sampler: string) => string): string[] => [
    `| posterior | ${samplers.map(({ title }) => title).join(' | ')} |`,
    `| --- |${' ---: |'.repeat(samplers.length)}`,
    ...posteriors.map((posterior) => {
      const cells = samplers.map(({ name }) => {
        const text = shown([posterior], name);
        return text === '' || isMixed(measurements, posterior, name) ? text : `${text}*`;
      });
      return `| ${posterior} | ${cells.join(' | ')} |`;
    }),
    ...(complete.length === 0
      ? []
      : [
          `| geometric mean of ${complete.length} | ${samplers.map(({ name }) => shown(complete, name)).join(' | ')} |`,
        ]),
  ];
  return [
    'Thousands of gradients:',
    '',
    ...rows((over, sampler) => format(mean(over, sampler, thousandsOfGradients), 1)),
    '',
    'Processor seconds, and in parentheses without compilation:',
    '',
    ...rows((over, sampler) => {
      const [all, without] = [secondsNeeded, samplingSecondsNeeded].map((needed) =>
        format(mean(over, sampler, needed), 2),
      );
      return without === '' ? '' : `${all} (${without})`.trimStart();
    }),
    '',
    ...comparison(measurements, posteriors, samplers),
  ].join('\n');
}

function thousandsOfGradients(measurement: Measurement): number {
  return gradientsNeeded(measurement) / 1000;
}

function format(value: number | undefined, digits: number): string {
  return value?.toFixed(value >= 100 ? 0 : digits) ?? '';
}

/** What samplers take as multiples of what the first takes: geometric means over the posteriors on which both were measured. */
function comparison(
  measurements: readonly Measurement[],
  posteriors: readonly string[],
  [first, ...others]: readonly NamedSampler[],
): string[] {
  const share = (sampler: string, needed: Needed): string => {
    const ratios = posteriors.flatMap((posterior) => {
      const [value, base] = [sampler, first.name].map((name) => meanOf(measurements, posterior, name, needed));
      return value === undefined || base === undefined ? [] : [value / base];
    });
    return ratios.length === 0 ? '' : `${geometricMean(ratios).toFixed(2)} (${ratios.length})`;
  };
  const rows = others.map(({ name, title }) => {
    const shares = [gradientsNeeded, secondsNeeded, samplingSecondsNeeded].map((needed) => share(name, needed));
    return `| ${title} | ${shares.join(' | ')} |`;
  });
  return [
    `Multiples of ${first.title}, geometric means, and in parentheses the number of posteriors:`,
    '',
    '| sampler | gradients | processor seconds | without compilation |',
    '| --- | ---: | ---: | ---: |',
    ...rows,
  ];
}

/** The geometric mean over seeds; undefined without measurements. */
export function meanOf(
  measurements: readonly Measurement[],
  posterior: string,
  sampler: string,
  needed: Needed,
): number | undefined {
  const values = measurements
    .filter((each) => each.posterior === posterior && each.sampler === sampler)
    .map(needed)
    .filter((value) => value !== undefined);
  return values.length === 0 ? undefined : geometricMean(values);
}

function isMixed(measurements: readonly Measurement[], posterior: string, sampler: string): boolean {
  return measurements
    .filter((each) => each.posterior === posterior && each.sampler === sampler)
    .every(({ rhat }) => rhat <= MIXED);
}
