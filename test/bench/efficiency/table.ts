import { geometricMean } from '../corpus.js';
import {
  type FailedRun,
  gradientsNeeded,
  isMeasured,
  type Measurement,
  type Run,
  samplingSecondsNeeded,
  secondsNeeded,
} from './measure.js';
import type { NamedSampler } from './samplers.js';

/** Chains whose R-hat is larger have not found the same distribution. */
const MIXED = 1.05;

/** The cost of 400 effective draws; undefined if it was not measured. */
type Needed = (measurement: Measurement) => number | undefined;

/** A table or list in Markdown. */
export interface Section {
  /** Identifies it in files. */
  readonly name: string;
  readonly title: string;
  readonly lines: readonly string[];
}

/**
 * The runs as tables: gradients in thousands and processor seconds to 400 effective draws by posterior, as geometric means over seeds;
 * below them, geometric means over the posteriors that all samplers have. An asterisk marks an R-hat above 1.05, a dash a sampler that
 * failed; a run that reached its limit shows the limit in seconds. Then the cost of samplers relative to the first one and the posteriors
 * for which it is lower or much higher, the chains that disagree, the largest differences from the references, and the reasons for failures.
 */
export function sections(runs: readonly Run[], samplers: readonly NamedSampler[]): Section[] {
  const measurements = runs.filter(isMeasured);
  const failures = runs.filter((run) => 'failure' in run);
  const posteriors = [...new Set(measurements.map(({ posterior }) => posterior))].sort();
  const mean = (over: readonly string[], sampler: string, needed: Needed): number | undefined => {
    const means = over.map((posterior) => meanOf(measurements, posterior, sampler, needed));
    const values = means.filter((value) => value !== undefined);
    return values.length === over.length ? geometricMean(values) : undefined;
  };
  const complete = posteriors.filter((posterior) =>
    samplers.every(({ name }) => mean([posterior], name, gradientsNeeded) !== undefined),
  );
  const agreeing = complete.filter((posterior) => samplers.every(({ name }) => isMixed(measurements, posterior, name)));
  const rows = (shown: (over: readonly string[], sampler: string) => string): string[] => {
    const byPosterior = posteriors.map((posterior) => [
      posterior,
      ...samplers.map(({ name }) => {
        const text = shown([posterior], name);
        if (text === '') return failureCell(failures.find(isOf(posterior, name)));
        return isMixed(measurements, posterior, name) ? text : `${text}*`;
      }),
    ]);
    const header = ['posterior', ...samplers.map(({ title }) => title)];
    if (complete.length === 0) return aligned([header, ...byPosterior]);
    const last = [`geometric mean of ${complete.length}`, ...samplers.map(({ name }) => shown(complete, name))];
    return aligned([header, ...byPosterior, last]);
  };
  const all: Section[] = [
    {
      name: 'gradients',
      title: 'Thousands of gradients',
      lines: rows((over, sampler) => format(mean(over, sampler, thousandsOfGradients), 1)),
    },
    {
      name: 'seconds',
      title: 'Processor seconds, and in parentheses without compilation',
      lines: rows((over, sampler) => {
        const [total, without] = [secondsNeeded, samplingSecondsNeeded].map((needed) =>
          format(mean(over, sampler, needed), 2),
        );
        return without === '' ? '' : `${total} (${without})`.trimStart();
      }),
    },
    {
      name: 'multiples',
      title: `Multiples of ${samplers[0]?.title}, geometric means, and in parentheses the number of posteriors`,
      lines: comparison(measurements, posteriors, samplers),
    },
    {
      name: 'agreeing',
      title: 'The same where the chains of all samplers agree',
      lines: comparison(measurements, agreeing, samplers),
    },
    {
      name: 'fewer',
      title: `Posteriors where a sampler needs less than ${samplers[0]?.title}`,
      lines: fewer(measurements, posteriors, samplers),
    },
    {
      name: 'more',
      title: `Posteriors where a sampler costs more than ${MUCH_MORE} times what ${samplers[0]?.title} costs`,
      lines: muchMore(measurements, posteriors, samplers),
    },
    { name: 'reliability', title: 'Reliability', lines: reliability(measurements, samplers) },
    {
      name: 'deviations',
      title: 'Largest differences from the references in standard errors',
      lines: deviations(measurements, samplers),
    },
    { name: 'failures', title: 'Failures', lines: reasons(failures, samplers) },
  ];
  return all.filter(({ lines }) => lines.length > 0);
}

function failureCell(failed: FailedRun | undefined): string {
  if (failed === undefined) return '';
  return failed.limit === undefined ? '–' : `> ${failed.limit} s`;
}

function thousandsOfGradients(measurement: Measurement): number {
  return gradientsNeeded(measurement) / 1000;
}

function format(value: number | undefined, digits: number): string {
  return value?.toFixed(value >= 100 ? 0 : digits) ?? '';
}

/** The cost of samplers as multiples of the first one's: geometric means over the posteriors on which both were measured. */
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
  const rows = others.map(({ name, title }) => [
    title,
    ...[gradientsNeeded, secondsNeeded, samplingSecondsNeeded].map((needed) => share(name, needed)),
  ]);
  const table = [['sampler', 'gradients', 'processor seconds', 'without compilation'], ...rows];
  const isMeasuredColumn = (k: number): boolean => rows.some((row) => row[k] !== '');
  return aligned(table.map((row) => row.filter((_, k) => isMeasuredColumn(k))));
}

/** Longer lists of posteriors are replaced by their number. */
const MOST_NAMES = 12;

/** One line per sampler with the posteriors for which it costs less than the first. */
function fewer(
  measurements: readonly Measurement[],
  posteriors: readonly string[],
  [first, ...others]: readonly NamedSampler[],
): string[] {
  const where = (sampler: string, needed: Needed): string => {
    const found = posteriors.filter((posterior) => {
      const [value, base] = [sampler, first.name].map((name) => meanOf(measurements, posterior, name, needed));
      return value !== undefined && base !== undefined && value < base;
    });
    if (found.length === 0) return 'none';
    return found.length > MOST_NAMES ? String(found.length) : `${found.length} (${found.join(', ')})`;
  };
  return others.map(({ name, title }) => {
    const [gradients, seconds, without] = [gradientsNeeded, secondsNeeded, samplingSecondsNeeded].map((needed) =>
      where(name, needed),
    );
    return `- ${title}: fewer gradients in ${gradients}; fewer seconds in ${seconds}; without compilation in ${without}`;
  });
}

/** A multiple that is reported. */
const MUCH_MORE = 1.2;

/** One line per sampler with the posteriors for which it costs much more than the first, and the multiples. */
function muchMore(
  measurements: readonly Measurement[],
  posteriors: readonly string[],
  [first, ...others]: readonly NamedSampler[],
): string[] {
  const where = (sampler: string, needed: Needed): string => {
    const found = posteriors.flatMap((posterior) => {
      const [value, base] = [sampler, first.name].map((name) => meanOf(measurements, posterior, name, needed));
      const multiple = value === undefined || base === undefined ? 0 : value / base;
      return multiple > MUCH_MORE ? [`${posterior} ${multiple.toFixed(1)}`] : [];
    });
    return found.length === 0 ? 'none' : `${found.length} (${found.join(', ')})`;
  };
  return others.map(({ name, title }) => {
    const [gradients, without] = [gradientsNeeded, samplingSecondsNeeded].map((needed) => where(name, needed));
    return `- ${title}: gradients in ${gradients}; seconds without compilation in ${without}`;
  });
}

/** Posteriors whose chains disagree with at least one seed, the largest R-hat, and the divergent transitions of all runs. */
function reliability(measurements: readonly Measurement[], samplers: readonly NamedSampler[]): string[] {
  const rows = samplers.flatMap(({ name, title }) => {
    const own = measurements.filter(({ sampler }) => sampler === name);
    if (own.length === 0) return [];
    const apart = own.filter(({ rhat }) => rhat > MIXED);
    const divergences = own.reduce((sum, run) => sum + run.divergences, 0);
    const posteriors = [own, apart].map((list) => String(new Set(list.map(({ posterior }) => posterior)).size));
    return [[title, ...posteriors, `${apart.length} of ${own.length}`, String(divergences)]];
  });
  const header = ['sampler', 'posteriors', `with R-hat above ${MIXED}`, 'runs', 'divergent transitions'];
  return rows.length === 0 ? [] : aligned([header, ...rows]);
}

/** The largest difference from the references of each sampler, and the posteriors with one above 4 standard errors. */
function deviations(measurements: readonly Measurement[], samplers: readonly NamedSampler[]): string[] {
  const size = ({ deviation }: Measurement): number => Math.abs(deviation?.z ?? 0);
  const rows = samplers.flatMap(({ name, title }) => {
    const own = measurements.filter(({ deviation, sampler }) => sampler === name && deviation !== undefined);
    if (own.length === 0) return [];
    const worst = own.reduce((most, each) => (size(each) > size(most) ? each : most));
    const where = `${worst.deviation?.what}, ${worst.posterior}`;
    const far = own.filter((each) => size(each) > 4).length;
    return [[title, String(own.length), size(worst).toFixed(1), where, String(far)]];
  });
  return rows.length === 0 ? [] : aligned([['sampler', 'posteriors', 'largest', 'of', 'above 4'], ...rows]);
}

/** One line per reason, with the posteriors that it concerns. */
function reasons(failures: readonly FailedRun[], samplers: readonly NamedSampler[]): string[] {
  return samplers.flatMap(({ name, title }) => {
    const byReason = new Map<string, Set<string>>();
    for (const { failure, posterior } of failures.filter(({ sampler }) => sampler === name)) {
      byReason.set(failure, (byReason.get(failure) ?? new Set()).add(posterior));
    }
    return [...byReason].map(([reason, posteriors]) => `- ${title}, ${[...posteriors].sort().join(', ')}: ${reason}`);
  });
}

/** A table in Markdown with the header first; columns of numbers are aligned on the right. */
function aligned(cells: readonly (readonly string[])[]): string[] {
  const widths = cells[0].map((_, k) => Math.max(3, ...cells.map((row) => row[k].length)));
  const isText = (k: number): boolean => k === 0 || cells.slice(1).some((row) => /^[A-Za-z]/.test(row[k]));
  const line = (row: readonly string[]): string =>
    `| ${row.map((cell, k) => (isText(k) ? cell.padEnd(widths[k]) : cell.padStart(widths[k]))).join(' | ')} |`;
  const rule = widths.map((width, k) => (isText(k) ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`));
  const [header, ...rows] = cells;
  return [line(header), `| ${rule.join(' | ')} |`, ...rows.map(line)];
}

/** The geometric mean over seeds; undefined without measurements. */
export function meanOf(
  measurements: readonly Measurement[],
  posterior: string,
  sampler: string,
  needed: Needed,
): number | undefined {
  const values = measurements
    .filter(isOf(posterior, sampler))
    .map(needed)
    .filter((value) => value !== undefined);
  return values.length === 0 ? undefined : geometricMean(values);
}

function isOf(posterior: string, sampler: string): (run: Run) => boolean {
  return (run) => run.posterior === posterior && run.sampler === sampler;
}

function isMixed(measurements: readonly Measurement[], posterior: string, sampler: string): boolean {
  return measurements.filter(isOf(posterior, sampler)).every(({ rhat }) => rhat <= MIXED);
}
