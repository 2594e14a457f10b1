import type { FunctionSuffix } from './types.js';

/** Suffixes of functions that are called as `f(y | a, b)`. */
const CONDITIONAL = ['_lpdf', '_lupdf', '_lupmf', '_lpmf', '_cdf', '_lcdf', '_lccdf'] as const;

/** Suffixes of a distribution's functions other than its density, without the underscore. */
const CUMULATIVE_AND_RNG: readonly string[] = ['cdf', 'lcdf', 'lccdf', 'rng'];

/** The class of a function, determined by the suffix of its name. Source: Stan Reference Manual, "Functions ending in …". */
export function suffixOf(name: string): FunctionSuffix {
  if (name.endsWith('_rng')) return 'rng';
  if (name.endsWith('_lp')) return 'lp';
  if (name.endsWith('_jacobian')) return 'jacobian';
  if (name.endsWith('_lpdf') || name.endsWith('_lupdf')) return 'lpdf';
  if (name.endsWith('_lpmf') || name.endsWith('_lupmf')) return 'lpmf';
  return 'plain';
}

/** Whether a vertical bar follows the function's first argument. */
export function isConditionalName(name: string): boolean {
  return CONDITIONAL.some((suffix) => name.endsWith(suffix));
}

/** Whether the name denotes a density without its constant terms. */
export function isUnnormalizedName(name: string): boolean {
  return name.endsWith('_lupdf') || name.endsWith('_lupmf');
}

/** The name under which a function is declared: `f_lupdf` is declared as `f_lpdf`. */
export function declaredName(name: string): string {
  return isUnnormalizedName(name) ? `${name.slice(0, -5)}lp${name.slice(-2)}` : name;
}

/** Splits `normal_lcdf` into `normal` and `lcdf`; undefined for a name without an underscore. */
export function splitSuffix(name: string): { readonly family: string; readonly suffix: string } | undefined {
  const at = name.lastIndexOf('_');
  return at < 0 ? undefined : { family: name.slice(0, at), suffix: name.slice(at + 1) };
}

export function isCumulativeOrRng(suffix: string): boolean {
  return CUMULATIVE_AND_RNG.includes(suffix);
}

/** Whether the name denotes a function of a distribution: a density, a cumulative function or a random number generator. */
export function isDistributionFunction(name: string): boolean {
  return isConditionalName(name) || name.endsWith('_rng');
}
