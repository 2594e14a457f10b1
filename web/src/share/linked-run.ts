/** Runs in links: the summaries and findings of all draws, beside some of the draws. */
import type { Fit } from 'leapfrog';
import { CHECKS, type Finding } from '#engine/inference/diagnostics/findings.js';
import type { QuantitySummary } from '../state/quantity-summary.js';
import type { Run } from '../state/run.js';
import { isRecord } from './reading.js';

const NUMBERS = ['mean', 'mcseMean', 'sd', 'mcseSd', 'q05', 'q50', 'q95', 'essBulk', 'essTail', 'rhat'] as const;

/** Significant digits of summaries in links, so that rounding them again to those of tables changes nothing. */
const DIGITS = 7;

/** A run as links contain it: without its log, whose length has no limit. */
export function linkedRun(run: Run, fit: Fit, summaries: readonly QuantitySummary[]): Run {
  const { estimates: _estimates, remote: _remote, outlook: _outlook, ...rest } = run;
  const rounded = summaries.map((summary) => {
    const numbers = NUMBERS.map((name) => [name, Number(summary[name].toPrecision(DIGITS))]);
    return { ...summary, ...Object.fromEntries(numbers) };
  });
  return { ...rest, chains: [], log: [], linked: run.linked ?? { draws: fit.draws, summaries: rounded } };
}

/** What the record of a run in a link contains beyond that of a zip file. Invalid parts are ignored. */
export function readLinked({ findings, linked }: Readonly<Record<string, unknown>>): Pick<Run, 'findings' | 'linked'> {
  if (!isRecord(linked) || typeof linked.draws !== 'number' || !Array.isArray(linked.summaries)) return {};
  return {
    linked: { draws: linked.draws, summaries: linked.summaries.flatMap(readSummary) },
    ...(Array.isArray(findings) && { findings: findings.flatMap(readFinding) }),
  };
}

/** JSON has no NaN and no infinities: numbers that are not finite become NaN. */
function numberIn(value: unknown): number {
  return typeof value === 'number' ? value : Number.NaN;
}

function readSummary(value: unknown): QuantitySummary[] {
  if (!isRecord(value) || typeof value.name !== 'string') return [];
  const of = (name: (typeof NUMBERS)[number]) => numberIn(value[name]);
  return [
    {
      name: value.name,
      mean: of('mean'),
      mcseMean: of('mcseMean'),
      sd: of('sd'),
      mcseSd: of('mcseSd'),
      q05: of('q05'),
      q50: of('q50'),
      q95: of('q95'),
      essBulk: of('essBulk'),
      essTail: of('essTail'),
      rhat: of('rhat'),
    },
  ];
}

function readFinding(value: unknown): Finding[] {
  if (!isRecord(value) || typeof value.message !== 'string' || typeof value.ok !== 'boolean') return [];
  const check = CHECKS.find((each) => each === value.check);
  if (check === undefined) return [];
  const { limit, message, ok } = value;
  const statements = listOf(value.statements, readStatement);
  const concerns = listOf(value.concerns, readConcern);
  return [{ check, ok, message, statements, concerns, ...(typeof limit === 'number' && { limit }) }];
}

function listOf<Item>(value: unknown, read: (item: unknown) => readonly Item[]): readonly Item[] {
  return Array.isArray(value) ? value.flatMap((item) => read(item)) : [];
}

function readStatement(value: unknown): Finding['statements'] {
  if (!isRecord(value) || typeof value.key !== 'string' || !isRecord(value.values)) return [];
  const values = Object.entries(value.values).flatMap(([name, each]): [string, string | number][] =>
    typeof each === 'string' || typeof each === 'number' ? [[name, each]] : [],
  );
  return [{ key: value.key, values: Object.fromEntries(values) }];
}

function readConcern(value: unknown): Finding['concerns'] {
  if (!isRecord(value) || typeof value.name !== 'string') return [];
  const { chain, name } = value;
  return [{ name, value: numberIn(value.value), ...(typeof chain === 'number' && { chain }) }];
}
