/** The outcome of one reference case. */
export interface Outcome {
  readonly id: string;
  readonly verdict: 'passed' | 'failed' | 'unsupported';
  /** The reasons for failure: the value found and the expected value. */
  readonly details: readonly string[];
  /** The fields that were compared, and whether they agreed. */
  readonly fields?: Readonly<Record<string, boolean>>;
}

/** Collects the differences of one case. */
export class Comparison {
  readonly details: string[] = [];
  readonly #fields: Record<string, boolean> = {};

  /** Like `equal`, but counted separately. */
  field(name: string, found: unknown, expected: unknown): void {
    const before = this.details.length;
    this.equal(name, found, expected);
    this.#fields[name] = this.details.length === before;
  }

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
    const fields = Object.keys(this.#fields).length > 0 ? { fields: this.#fields } : {};
    return { id, verdict: this.details.length === 0 ? 'passed' : 'failed', details: this.details, ...fields };
  }
}

export function unsupported(id: string, message: string): Outcome {
  return { id, verdict: 'unsupported', details: [message] };
}

/** For each field that was compared, the number of cases, and the number in which it agreed. */
export function shares(
  outcomes: readonly Outcome[],
): ReadonlyMap<string, { readonly same: number; readonly all: number }> {
  const counts = new Map<string, { same: number; all: number }>();
  for (const [field, isSame] of outcomes.flatMap(({ fields }) => Object.entries(fields ?? {}))) {
    const { same, all } = counts.get(field) ?? { same: 0, all: 0 };
    counts.set(field, { same: same + (isSame ? 1 : 0), all: all + 1 });
  }
  return counts;
}

/** A number of the reference files: non-finite ones are strings. */
export type ReferenceNumber = number | 'NaN' | 'Infinity' | '-Infinity';

export function toNumber(value: ReferenceNumber): number {
  return typeof value === 'number' ? value : Number(value);
}
