/** The stopping rule in the settings of a run. */
import { readArguments } from '#engine/inference/algorithms/arguments.js';
import { STATISTICS } from '#engine/inference/diagnostics/precision.js';
import { argumentsOf } from '#engine/requests/functions.js';
import { readUntil, type Until } from '#engine/requests/until.js';
import type { RunSettings } from '../state/project.js';
import { algorithmOf, givenArguments } from './functions.js';

/** Whether a function's runs can stop when their draws are precise enough. */
export function takesUntil(settings: RunSettings): boolean {
  return algorithmOf(settings).inputs.includes('continue');
}

/** The rule in the form of a request; empty without a limit, and for functions without stopping rules. */
export function untilOf(settings: RunSettings): { readonly until?: Until } {
  const { until } = settings;
  const hasLimit = STATISTICS.some((name) => until?.[name] !== undefined);
  return until !== undefined && hasLimit && takesUntil(settings) ? { until } : {};
}

/** Iterations of a chain from one check to the next. */
export function blockOf(settings: RunSettings): number {
  return Number(allArguments(settings).num_samples);
}

/** The engine's messages about a rule, by the member that each concerns; '' for the rule as a whole. */
export function untilProblems(settings: RunSettings, until: unknown): ReadonlyMap<string, string> {
  const inputs = Object.keys(settings.sources ?? {});
  const read = readUntil(until, allArguments(settings), inputs, takesUntil(settings));
  if (!('problems' in read)) return new Map();
  return new Map(
    read.problems.map(({ field, message }) => {
      const [, member = ''] = field.split('/');
      return [member, member === '' ? `${field} ${message}` : message];
    }),
  );
}

/** A rule from outside the page; undefined for one that is not valid. */
export function readRule(settings: RunSettings, given: unknown): Until | undefined {
  const read = readUntil(given, allArguments(settings), [], takesUntil(settings));
  return 'until' in read ? read.until : undefined;
}

/** All arguments, including defaults. */
function allArguments(settings: RunSettings) {
  const read = readArguments(argumentsOf(algorithmOf(settings)), givenArguments(settings));
  return 'settings' in read ? read.settings.entries() : {};
}
