/** What became of one reference case. */
export interface Outcome {
  readonly id: string;
  readonly verdict: 'passed' | 'failed' | 'unsupported';
  /** Why it failed: what was found and what was expected. */
  readonly details: readonly string[];
}

/** Collects the differences of one case. */
export class Comparison {
  readonly details: string[] = [];

  equal(what: string, found: unknown, expected: unknown): void {
    const a = JSON.stringify(found);
    const b = JSON.stringify(expected);
    if (a !== b) this.details.push(`${what}: found ${a}, expected ${b}`);
  }

  /** |found - expected| <= tolerance · scale; non-finite values must be the same. */
  near(what: string, found: number, expected: number, allowed: number): void {
    const same = Object.is(found, expected) || found === expected || (Number.isNaN(found) && Number.isNaN(expected));
    if (same || Math.abs(found - expected) <= allowed) return;
    this.details.push(`${what}: found ${found}, expected ${expected}`);
  }

  fail(what: string): void {
    this.details.push(what);
  }

  outcome(id: string): Outcome {
    return { id, verdict: this.details.length === 0 ? 'passed' : 'failed', details: this.details };
  }
}

export function unsupported(id: string, message: string): Outcome {
  return { id, verdict: 'unsupported', details: [message] };
}

/** A number of the reference files: non-finite ones are strings. */
export type ReferenceNumber = number | 'NaN' | 'Infinity' | '-Infinity';

export function toNumber(value: ReferenceNumber): number {
  return typeof value === 'number' ? value : Number(value);
}
