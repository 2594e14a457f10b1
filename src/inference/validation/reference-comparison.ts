/** Compares draws with reference draws of the same posterior, by means and standard deviations in Monte Carlo standard errors. */

/** Moments of a quantity with their Monte Carlo standard errors. */
export interface NamedMoments {
  readonly name: string;
  readonly mean: number;
  readonly sd: number;
  readonly mcseMean: number;
  readonly mcseSd: number;
}

interface ComparedMoment {
  readonly found: number;
  readonly reference: number;
  /** The difference in combined Monte Carlo standard errors; infinite if there is no such error. */
  readonly z: number;
}

export interface ComparedQuantity {
  readonly name: string;
  readonly mean: ComparedMoment;
  readonly sd: ComparedMoment;
}

export interface ReferenceComparison {
  /** In the order of the reference. */
  readonly quantities: readonly ComparedQuantity[];
  /** Quantities of the reference that the draws lack. */
  readonly missing: readonly string[];
  /** The absolute value of z above which moments differ. */
  readonly limit: number;
  /** Whether nothing is missing and no moment differs. */
  readonly ok: boolean;
  readonly message: string;
}

/** Constants may differ only by rounding. */
const ROUNDING = 1e-8;
/** Number of quantities above which the limit is larger by one, because the largest of many differences is larger. */
const MANY = 100;

/** Compares the moments of draws with those of reference draws. */
export function compareWithReference(
  found: readonly NamedMoments[],
  reference: readonly NamedMoments[],
): ReferenceComparison {
  const byName = new Map(found.map((each) => [each.name, each]));
  const quantities = reference.flatMap((expected): ComparedQuantity[] => {
    const { name } = expected;
    const ours = byName.get(name);
    if (ours === undefined) return [];
    const mean = comparedMoment(ours.mean, expected.mean, ours.mcseMean, expected.mcseMean);
    return [{ name, mean, sd: comparedMoment(ours.sd, expected.sd, ours.mcseSd, expected.mcseSd) }];
  });
  const missing = reference.flatMap(({ name }) => (byName.has(name) ? [] : [name]));
  const limit = reference.length > MANY ? 5 : 4;
  const largest = largestOf(quantities);
  const ok = missing.length === 0 && (largest === undefined || sizeOf(largest.moment) <= limit);
  return { quantities, missing, limit, ok, message: messageOf(quantities, missing, limit, largest) };
}

function comparedMoment(found: number, reference: number, ...errors: readonly number[]): ComparedMoment {
  const difference = found - reference;
  const isRounding = Math.abs(difference) <= ROUNDING * Math.max(1, Math.abs(reference));
  // The error of constant draws is NaN.
  const error = Math.hypot(...errors.map((each) => (Number.isNaN(each) ? 0 : each)));
  return { found, reference, z: isRounding ? 0 : difference / error };
}

interface NamedMoment {
  readonly name: string;
  readonly moment: ComparedMoment;
}

function momentsOf({ mean, name, sd }: ComparedQuantity): readonly NamedMoment[] {
  return [
    { name: `mean of ${name}`, moment: mean },
    { name: `sd of ${name}`, moment: sd },
  ];
}

function sizeOf({ z }: ComparedMoment): number {
  return Number.isNaN(z) ? Number.POSITIVE_INFINITY : Math.abs(z);
}

function largestOf(quantities: readonly ComparedQuantity[]): NamedMoment | undefined {
  const moments = quantities.flatMap(momentsOf);
  if (moments.length === 0) return undefined;
  return moments.reduce((most, each) => (sizeOf(each.moment) > sizeOf(most.moment) ? each : most));
}

function messageOf(
  quantities: readonly ComparedQuantity[],
  missing: readonly string[],
  limit: number,
  largest: NamedMoment | undefined,
): string {
  const lacking = missing.length === 0 ? [] : [`The draws lack ${missing.join(', ')}.`];
  if (largest === undefined) return lacking.join('');
  const count = quantities.flatMap(momentsOf).filter(({ moment }) => sizeOf(moment) > limit).length;
  const most = `the ${largest.name} (${sizeOf(largest.moment).toFixed(1)})`;
  const agreement =
    count === 0
      ? `All means and standard deviations agree with the reference draws within ${limit} Monte Carlo standard errors. The largest difference is in ${most}.`
      : `${count} of ${2 * quantities.length} means and standard deviations differ from the reference draws by more than ${limit} Monte Carlo standard errors, most in ${most}.`;
  return [agreement, ...lacking].join(' ');
}
