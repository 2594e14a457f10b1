/** Runs that stop when their draws are precise enough: the rule of a request, and the reason why a run has stopped. */

import { type Statement, write } from '../base/statement.js';
import { displayName, splitNames, variableOf } from '../formats/columns.js';
import type { DeclaredOutput } from '../formats/program-blocks.js';
import { type ArgumentProblem, type ArgumentValue, MAX_COUNT } from '../inference/algorithms/arguments.js';
import { CRITERIA, type PrecisionRule, type Shortfall, STATISTICS } from '../inference/diagnostics/precision.js';
import { CONTINUABLE } from './functions.js';
import { STOP_SENTENCES } from './stop-sentences.js';

/**
 * The rule that stops a run. Chains run in blocks of `num_samples` iterations; after each block, the rule is checked on the draws of all
 * chains.
 */
export interface Until extends PrecisionRule {
  /** Variables or elements that must be precise; if absent, parameters, transformed parameters and the log density. */
  readonly quantities?: readonly string[];
  /** Maximum number of iterations of a chain after warmup; by default 10 × `num_samples`. */
  readonly max_iterations?: number;
}

/** The reason why a run has stopped. */
export interface Stopped {
  readonly reason: 'precise' | 'max_iterations';
  /** Iterations of each chain after warmup. */
  readonly iterations: number;
  /** The worst shortfall at the end; absent if the rule is satisfied. */
  readonly shortfall?: Shortfall;
}

/** `Stopped` in JSON, where `value` is absent if the statistic does not exist. */
export type ReportedStop = Omit<Stopped, 'shortfall'> & {
  readonly shortfall?: Omit<Shortfall, 'value'> & { readonly value?: number };
};

/** The worst shortfall after a number of iterations of each chain. */
export type CurrentShortfall = Shortfall & { readonly iterations: number };

const KNOWN: readonly string[] = [...STATISTICS, 'quantities', 'max_iterations'];
const DEFAULT_BLOCKS = 10;

/** Reads the rule of a request and lists its problems. `taken` are the other arguments, and `inputs` the names of the given inputs. */
export function readUntil(
  value: unknown,
  taken: Readonly<Record<string, ArgumentValue>>,
  inputs: readonly string[],
  isContinuable: boolean,
): { readonly until: Until } | { readonly problems: readonly ArgumentProblem[] } {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return { problems: [ruleProblem('', 'must be an object with limits such as ess_bulk')] };
  if (!isContinuable) return { problems: [ruleProblem('', `is supported only by the functions ${CONTINUABLE}`)] };
  const problems: ArgumentProblem[] = [];
  if (inputs.includes('continue')) problems.push(ruleProblem('', 'cannot be combined with continue'));
  const given: Partial<Record<keyof PrecisionRule | 'max_iterations', number>> = {};
  for (const name of Object.keys(value)) {
    if (!KNOWN.includes(name)) problems.push(ruleProblem(name, `is unknown; the members are ${KNOWN.join(', ')}`));
  }
  const members: Readonly<Record<string, unknown>> = { ...value };
  for (const name of STATISTICS) {
    const limit = members[name];
    if (limit === undefined) continue;
    const { least } = CRITERIA[name];
    if (typeof limit === 'number' && Number.isFinite(limit) && limit > least) given[name] = limit;
    else problems.push(ruleProblem(name, `must be a number above ${least}`));
  }
  if (STATISTICS.every((name) => members[name] === undefined))
    problems.push(ruleProblem('', `must have at least one of ${STATISTICS.join(', ')}`));
  const block = Number(taken.num_samples);
  const most = members.max_iterations;
  if (most !== undefined) {
    const isCount = typeof most === 'number' && Number.isInteger(most);
    if (isCount && most >= block && most <= MAX_COUNT) given.max_iterations = most;
    else problems.push(ruleProblem('max_iterations', `must be an integer from ${block} (num_samples) to ${MAX_COUNT}`));
  }
  const { quantities } = members;
  if (quantities !== undefined && !isNames(quantities))
    problems.push(ruleProblem('quantities', 'must be an array of one or more names of variables or elements'));
  if (!(block > 0) || block % Number(taken.num_thin) !== 0)
    problems.push({ field: 'num_samples', message: 'must be a positive multiple of num_thin with until' });
  if (problems.length > 0) return { problems };
  return { until: { ...given, ...(isNames(quantities) && { quantities }) } };
}

export function ruleProblem(member: string, message: string): ArgumentProblem {
  return { field: member === '' ? 'until' : `until/${member}`, message };
}

function isNames(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.length > 0 && value.every((name) => typeof name === 'string');
}

/** Maximum number of iterations of a chain after warmup. */
export function iterationLimit({ max_iterations }: Until, taken: Readonly<Record<string, ArgumentValue>>): number {
  return max_iterations ?? Math.min(MAX_COUNT, DEFAULT_BLOCKS * Number(taken.num_samples));
}

/**
 * The problem with the names in a rule, whose variables the program must declare and the run save (`save`; all if absent); undefined if
 * they are valid.
 */
export function quantitiesProblem(
  quantities: readonly string[],
  outputs: readonly DeclaredOutput[],
  save: readonly string[] | undefined,
): ArgumentProblem | undefined {
  const names = quantities.flatMap(splitNames);
  const declared = new Set(['lp__', ...outputs.map(({ name }) => variableOf(name))]);
  const unknown = names.filter((name) => !declared.has(variableOf(name)));
  if (unknown.length > 0) return ruleProblem('quantities', `names ${unknown.join(', ')}, which draws do not have`);
  const saved = save && new Set(['lp__', ...save.map(variableOf)]);
  const unsaved = names.filter((name) => saved?.has(variableOf(name)) === false);
  return unsaved.length > 0 ? ruleProblem('quantities', `names ${unsaved.join(', ')}, which save does not`) : undefined;
}

/** Reads the reason why a run has stopped from JSON; undefined for another value. */
export function readStop(value: unknown): Stopped | undefined {
  const { iterations, reason, shortfall }: Readonly<Record<string, unknown>> = { ...Object(value) };
  if (typeof iterations !== 'number') return undefined;
  if (reason === 'precise') return { reason, iterations };
  if (reason !== 'max_iterations') return undefined;
  const {
    limit,
    quantity,
    statistic: name,
    value: found,
  }: Readonly<Record<string, unknown>> = { ...Object(shortfall) };
  const statistic = STATISTICS.find((each) => each === name);
  if (typeof quantity !== 'string' || typeof limit !== 'number' || statistic === undefined) return undefined;
  const worst = { quantity, statistic, limit, value: typeof found === 'number' ? found : Number.NaN };
  return { reason, iterations, shortfall: worst };
}

/** The reason why a run has stopped. */
export function stoppedStatement({
  iterations,
  reason,
  shortfall,
}: ReportedStop): Statement<keyof typeof STOP_SENTENCES> {
  if (reason === 'precise' || shortfall === undefined) return { key: 'stoppedPrecise', values: { iterations } };
  const { limit, quantity, statistic, value = Number.NaN } = shortfall;
  const values = { iterations, statistic, quantity: displayName(quantity), limit };
  if (Number.isNaN(value)) return { key: 'stoppedUnknown', values };
  const key = CRITERIA[statistic].isUpper ? 'stoppedAbove' : 'stoppedBelow';
  return { key, values: { ...values, value: Number(value.toPrecision(4)) } };
}

/** The line of the log about the reason why a run has stopped. */
export function stoppedText(stopped: Stopped): string {
  return write(STOP_SENTENCES, [stoppedStatement(stopped)]);
}
