/** The state of a run in progress over all its chains, in one line: the worst estimates so far, and the time left. */

import { type Statement, write } from '../base/statement.js';
import type { RunProgress } from '../chain/request.js';
import { displayName, placesOf } from '../formats/columns.js';
import { factorOfDraws } from '../inference/diagnostics/precision.js';
import { combinedEstimates, type RunningEstimate } from '../inference/diagnostics/running-estimates.js';
import { type CurrentShortfall, iterationLimit, type Until } from '../requests/until.js';
import { OUTLOOK_SENTENCES } from './outlook-sentences.js';

/** The report of a chain. */
interface ReportedChain {
  /** Undefined while the chain waits. */
  readonly progress: Pick<RunProgress, 'iteration' | 'iterations' | 'seconds_left' | 'divergences'> | undefined;
  readonly isOver: boolean;
}

type CurrentReport = Omit<CurrentShortfall, 'value'> & { readonly value?: number };

/** The rule of a run that stops when it is satisfied. */
interface Target {
  readonly until: Until;
  /** Iterations from one check to the next. */
  readonly block: number;
  /** The shortfall at the last check. */
  readonly shortfall?: CurrentReport | undefined;
}

export interface Outlook {
  /** Absent before the first check of a rule, and for runs without one. */
  readonly shortfall: CurrentReport | undefined;
  /** The quantities with the largest R-hat and with the smallest effective sample size; undefined while there are too few draws. */
  readonly rhat: RunningEstimate | undefined;
  readonly ess: RunningEstimate | undefined;
  /** Undefined for algorithms without divergences. */
  readonly divergences: number | undefined;
  /** Estimated time until the last iteration, or until the rule is satisfied. */
  readonly secondsLeft: number | undefined;
  readonly hasRule: boolean;
}

/** The outlook of a run whose chains report their estimates. */
export function currentOutlook(
  chains: readonly (ReportedChain & { readonly progress: Pick<RunProgress, 'estimates'> | undefined })[],
  target?: Target,
): Outlook {
  const estimates = chains.map(({ progress }) => progress?.estimates ?? []);
  return outlookOf(chains, combinedEstimates(estimates, Number.POSITIVE_INFINITY), target);
}

/** `estimates` are the worst estimates over all chains. */
export function outlookOf(
  chains: readonly ReportedChain[],
  estimates: readonly RunningEstimate[],
  target?: Target,
): Outlook {
  const worst = (isWorse: (a: RunningEstimate, b: RunningEstimate) => boolean) =>
    estimates.reduce<RunningEstimate | undefined>(
      (found, each) => (found === undefined || isWorse(each, found) ? each : found),
      undefined,
    );
  const counts = chains.flatMap(({ progress }) => progress?.divergences ?? []);
  return {
    shortfall: target?.shortfall,
    rhat: worst((a, b) => a.rhat > b.rhat),
    ess: worst((a, b) => a.ess < b.ess),
    divergences: counts.length === 0 ? undefined : counts.reduce((sum, count) => sum + count, 0),
    secondsLeft: secondsLeft(chains, estimates, target),
    hasRule: target !== undefined,
  };
}

/**
 * `R-hat 1.02 (tau), ESS 87 (mu), 3 divergent, about 12 s left`; empty if there is nothing to report. After the first check of a rule, the
 * shortfall replaces the estimates, which then describe only one block.
 */
export function outlookText(outlook: Outlook): string {
  return write(OUTLOOK_SENTENCES, outlookStatements(outlook), ', ');
}

type OutlookStatement = Statement<keyof typeof OUTLOOK_SENTENCES>;

/** The parts of the line. */
export function outlookStatements(outlook: Outlook): readonly OutlookStatement[] {
  const { divergences, ess, hasRule, rhat, secondsLeft = 0, shortfall } = outlook;
  const parts: OutlookStatement[] = [];
  if (shortfall !== undefined) parts.push(shortfallStatement(shortfall));
  else {
    if (rhat !== undefined)
      parts.push({ key: 'outlookRhat', values: { value: rhat.rhat.toFixed(2), name: displayName(rhat.name) } });
    if (ess !== undefined)
      parts.push({ key: 'outlookEss', values: { value: Math.floor(ess.ess), name: displayName(ess.name) } });
  }
  if (divergences !== undefined) parts.push({ key: 'outlookDivergent', values: { count: divergences } });
  const left = { duration: durationText(secondsLeft) };
  if (secondsLeft > 0) parts.push({ key: hasRule ? 'outlookTarget' : 'outlookLeft', values: left });
  return parts;
}

/** `ess_bulk 130 of 400 (tau)`. */
function shortfallStatement({ limit, quantity, statistic, value = Number.NaN }: CurrentReport): OutlookStatement {
  const values = { statistic, limit, name: displayName(quantity) };
  if (Number.isNaN(value)) return { key: 'outlookUnknown', values };
  return { key: 'outlookShortfall', values: { ...values, value: Number(value.toPrecision(4)) } };
}

/** A duration in one unit. */
export function durationText(seconds: number): string {
  if (seconds < 60) return `${Math.ceil(seconds)} s`;
  return seconds < 3600 ? `${Math.ceil(seconds / 60)} min` : `${(seconds / 3600).toFixed(1)} h`;
}

/** Fraction of iterations after which the speed of a chain is known. The time of the first iterations includes reading the data. */
const FIRST_SHARE = 0.01;

/** The estimated time left, assuming that iterations continue at the same speed and that waiting chains start when others end. */
function secondsLeft(
  chains: readonly ReportedChain[],
  estimates: readonly RunningEstimate[],
  target: Target | undefined,
): number | undefined {
  const running = chains.flatMap(({ isOver, progress }) => {
    const { iteration, iterations, seconds_left: left } = progress ?? {};
    if (isOver || iteration === undefined || iterations === undefined || left === undefined) return [];
    if (iteration < FIRST_SHARE * iterations) return [];
    return [{ iteration, iterations, pace: iteration < iterations ? left / (iterations - iteration) : 0 }];
  });
  if (running.length === 0) return undefined;
  const slowest = running.reduce((found, each) => (each.iteration < found.iteration ? each : found));
  const end = target === undefined ? slowest.iterations : expectedEnd(target, slowest, estimates);
  const waiting = chains.filter(({ isOver }) => !isOver).length - running.length;
  const longest = Math.max(...running.map(({ iteration, pace }) => Math.max(0, end - iteration) * pace));
  const pace = running.reduce((sum, each) => sum + each.pace, 0) / running.length;
  return longest + Math.ceil(waiting / running.length) * end * pace;
}

/** The iteration, including warmup, after which a rule is expected to be satisfied: the end of a block. */
function expectedEnd(
  { block, shortfall, until }: Target,
  { iteration, iterations }: { readonly iteration: number; readonly iterations: number },
  estimates: readonly RunningEstimate[],
): number {
  const limit = iterationLimit(until, { num_samples: block });
  const warmup = iterations - limit;
  const begun = Math.max(0, iteration - warmup);
  const present = Math.max(1, Math.ceil(begun / block)) * block;
  const needed =
    shortfall === undefined
      ? begun * Math.max(0, ...factorsOf(until, estimates))
      : shortfall.iterations * factorOfDraws({ value: Number.NaN, ...shortfall });
  const blocks = Number.isFinite(needed) ? Math.ceil(needed / block) * block : limit;
  return warmup + Math.min(limit, Math.max(present, blocks));
}

/** The factor by which a rule requires more draws, from running estimates. */
function factorsOf({ ess_bulk, ess_tail, quantities, rhat }: Until, estimates: readonly RunningEstimate[]): number[] {
  const counted = estimates.filter(
    ({ name }) => quantities === undefined || quantities.some((each) => placesOf(each, [name]).length > 0),
  );
  return counted.flatMap((each) => [
    ...[ess_bulk, ess_tail].map((limit) =>
      limit === undefined ? 0 : factorOfDraws({ statistic: 'ess_bulk', value: each.ess, limit }),
    ),
    rhat === undefined ? 0 : factorOfDraws({ statistic: 'rhat', value: each.rhat, limit: rhat }),
  ]);
}
