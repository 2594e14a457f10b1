/** Scales from numbers to pixels, and the ticks of axes. */

export type Domain = readonly [from: number, to: number];

export interface Scale {
  (value: number): number;
  readonly domain: Domain;
  readonly range: Domain;
  invert(pixel: number): number;
}

export function linear(domain: Domain, range: Domain): Scale {
  const [from, to] = domain;
  const [start, end] = range;
  const factor = (end - start) / (to - from);
  const scale = (value: number) => start + (value - from) * factor;
  return Object.assign(scale, { domain, range, invert: (pixel: number) => from + (pixel - start) / factor });
}

/** The extent of the finite values, widened if they are all equal; 0 to 1 without values. */
export function extentOf(...lists: readonly ArrayLike<number>[]): Domain {
  let least = Number.POSITIVE_INFINITY;
  let greatest = Number.NEGATIVE_INFINITY;
  for (const values of lists) {
    for (let i = 0; i < values.length; i++) {
      const value = values[i];
      if (value < least && value !== Number.NEGATIVE_INFINITY) least = value;
      if (value > greatest && value !== Number.POSITIVE_INFINITY) greatest = value;
    }
  }
  if (!(least <= greatest)) return [0, 1];
  if (least < greatest) return [least, greatest];
  const margin = Math.abs(least) / 10 || 1;
  return [least - margin, greatest + margin];
}

/** The domain with a fraction of its length added at both ends. */
export function padded([from, to]: Domain, share = 0.04): Domain {
  const margin = (to - from) * share;
  return [from - margin, to + margin];
}

/** The values between two pixels, in either order. */
export function rangeIn(scale: Scale, one: number, other: number): { readonly from: number; readonly to: number } {
  const [a, b] = [scale.invert(one), scale.invert(other)];
  return { from: Math.min(a, b), to: Math.max(a, b) };
}

/**
 * Multiples of 1, 2 or 5 times a power of ten within the domain: about `count`, but at least two, because a single tick
 * shows no scale.
 */
export function ticksOf(domain: Domain, count: number): number[] {
  const ticks = multiplesWithin(domain, count);
  return ticks.length < 2 && count < MOST_TRIED ? ticksOf(domain, count + 1) : ticks;
}

const MOST_TRIED = 8;

function multiplesWithin([from, to]: Domain, count: number): number[] {
  const step = stepFor((to - from) / Math.max(1, count));
  const first = Math.ceil(from / step - 1e-9);
  const last = Math.floor(to / step + 1e-9);
  const ticks: number[] = [];
  for (let k = first; k <= last && ticks.length < 100; k++) ticks.push(rounded(k * step));
  return ticks;
}

function stepFor(rough: number): number {
  const power = 10 ** Math.floor(Math.log10(rough));
  const lead = rough / power;
  return power * (lead > 5 ? 10 : lead > 2 ? 5 : lead > 1 ? 2 : 1);
}

/** Removes rounding errors of binary fractions. */
function rounded(value: number): number {
  return Number(value.toPrecision(12));
}
