import type { Finding } from '../inference/diagnostics/findings.js';

/** The headlines of a verdict on the draws of a sampler. */
export const HEADLINES = {
  reliable: 'These draws can be relied on',
  unreliable: 'These draws should not be relied on yet',
} as const;

/** The headline for the results of all checks. */
export function headlineOf(findings: readonly Finding[]): string {
  return findings.every(({ ok }) => ok) ? HEADLINES.reliable : HEADLINES.unreliable;
}
