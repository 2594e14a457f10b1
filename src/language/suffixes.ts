import type { FunctionSuffix } from './types.js';

/** Endings whose functions are written `f(y | a, b)`. */
const CONDITIONAL = ['_lpdf', '_lupdf', '_lupmf', '_lpmf', '_cdf', '_lcdf', '_lccdf'] as const;

/** Endings that a distribution's functions may have besides its density, without the underscore. */
const CUMULATIVE_AND_RNG: readonly string[] = ['cdf', 'lcdf', 'lccdf', 'rng'];

/** The class of a function by the ending of its name. Source: Stan Reference Manual, "Functions ending in …". */
export function suffixOf(name: string): FunctionSuffix {
  if (name.endsWith('_rng')) return 'rng';
  if (name.endsWith('_lp')) return 'lp';
  if (name.endsWith('_jacobian')) return 'jacobian';
  if (name.endsWith('_lpdf') || name.endsWith('_lupdf')) return 'lpdf';
  if (name.endsWith('_lpmf') || name.endsWith('_lupmf')) return 'lpmf';
  return 'plain';
}

/** Whether the function's first argument is separated by a vertical bar. */
export function isConditionalName(name: string): boolean {
  return CONDITIONAL.some((suffix) => name.endsWith(suffix));
}

/** Whether the name is that of a density without its constant terms. */
export function isUnnormalizedName(name: string): boolean {
  return name.endsWith('_lupdf') || name.endsWith('_lupmf');
}

/** The name under which a function is declared: `f_lupdf` is declared as `f_lpdf`. */
export function declaredName(name: string): string {
  return isUnnormalizedName(name) ? `${name.slice(0, -5)}lp${name.slice(-2)}` : name;
}

/** `normal_lcdf` as `normal` and `lcdf`; undefined for a name without an underscore. */
export function splitSuffix(name: string): { readonly family: string; readonly suffix: string } | undefined {
  const at = name.lastIndexOf('_');
  return at < 0 ? undefined : { family: name.slice(0, at), suffix: name.slice(at + 1) };
}

export function isCumulativeOrRng(suffix: string): boolean {
  return CUMULATIVE_AND_RNG.includes(suffix);
}

/** Whether a name is that of a distribution's function: its density, cumulative functions or random numbers. */
export function isDistributionFunction(name: string): boolean {
  return isConditionalName(name) || name.endsWith('_rng');
}
