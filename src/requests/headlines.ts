import { type Statement, write } from '../base/statement.js';
import type { Finding } from '../inference/diagnostics/findings.js';

/** The headlines of a verdict on draws. */
export const HEADLINES = {
  reliable: 'These draws can be relied on',
  unreliable: 'These draws should not be relied on yet',
  unusable: 'Some quantities have no usable values',
  simulations: '{count, plural, one {One simulation} other {{count} simulations}}',
} as const;

/** The headline for the results of all checks, as data. */
export function headline(findings: readonly Finding[]): Statement<keyof typeof HEADLINES> {
  const problems = findings.filter(({ ok }) => !ok);
  if (problems.some(({ check }) => check !== 'generated')) return { key: 'unreliable', values: {} };
  if (problems.length > 0) return { key: 'unusable', values: {} };
  const simulations = findings.find(({ check }) => check === 'simulations')?.statements[0];
  return simulations === undefined
    ? { key: 'reliable', values: {} }
    : { key: 'simulations', values: simulations.values };
}

/** The headline for the results of all checks. */
export function headlineOf(findings: readonly Finding[]): string {
  return write(HEADLINES, [headline(findings)]);
}
