/** Quantities of a fit as rows of a forest plot: scalars before vectors, vectors folded, rows of similar scale on one axis. */
import { append } from '../base/multimap.js';
import type { Numerals } from '../base/numerals.js';
import { onCommonAxes } from './common-axes.js';
import { type Domain, extentOf } from './scale.js';

interface Named {
  /** `mu`, `theta[2]`. */
  readonly name: string;
}

/** The summary of a quantity. */
export interface Estimate extends Named {
  readonly mean: number;
  readonly q05: number;
  readonly q50: number;
  readonly q95: number;
  readonly rhat: number;
  readonly essBulk: number;
  readonly essTail: number;
}

export interface ForestVariable<Each extends Named = Estimate> {
  readonly name: string;
  readonly isScalar: boolean;
  readonly elements: readonly Each[];
}

/** A scalar or an element, or a whole variable of several elements. */
export type ForestRow<Each extends Estimate = Estimate> =
  | { readonly kind: 'element'; readonly estimate: Each }
  | { readonly kind: 'variable'; readonly variable: ForestVariable<Each>; readonly isOpen: boolean };

/** Rows on one axis. */
export interface ForestPanel<Each extends Estimate = Estimate> {
  readonly domain: Domain;
  readonly rows: readonly ForestRow<Each>[];
}

/** The variables of quantities in their order, with scalars first. */
export function forestVariables<Each extends Named>(estimates: readonly Each[]): readonly ForestVariable<Each>[] {
  const variables = new Map<string, Each[]>();
  for (const estimate of estimates) {
    const name = estimate.name.replace(/\[[^[\]]*\]$/, '');
    append(variables, name, estimate);
  }
  const all = [...variables].map(([name, elements]) => ({ name, elements, isScalar: elements[0].name === name }));
  return [...all.filter(({ isScalar }) => isScalar), ...all.filter(({ isScalar }) => !isScalar)];
}

/** Variables on common axes. Elements of variables for which `isOpen` holds follow the variable's row. */
export function forestPanels<Each extends Estimate>(
  variables: readonly ForestVariable<Each>[],
  isOpen: (variable: ForestVariable<Each>) => boolean,
): readonly ForestPanel<Each>[] {
  const endsOf = ({ elements }: ForestVariable<Each>) => elements.flatMap(({ q05, q95 }) => [q05, q95]);
  return onCommonAxes(variables, endsOf).map(({ domain, items }) => ({
    domain,
    rows: items.flatMap((variable) => rowsOf(variable, isOpen(variable))),
  }));
}

function rowsOf<Each extends Estimate>(variable: ForestVariable<Each>, isOpen: boolean): readonly ForestRow<Each>[] {
  const elements = variable.elements.map((estimate) => ({ kind: 'element' as const, estimate }));
  if (variable.isScalar) return elements;
  const row: ForestRow<Each> = { kind: 'variable', variable, isOpen };
  return isOpen ? [row, ...elements] : [row];
}

/** The smaller of the effective sample sizes of bulk and tails. */
export function leastEss({ essBulk, essTail }: Estimate): number {
  return Math.min(essBulk, essTail);
}

/** The greatest R-hat and the least effective sample size among quantities; NaN if none of them varies. */
export function worstOf(estimates: readonly Estimate[]): { readonly rhat: number; readonly ess: number } {
  const known = (values: readonly number[]) => values.filter((value) => !Number.isNaN(value));
  const rhats = known(estimates.map(({ rhat }) => rhat));
  const sizes = known(estimates.map(leastEss));
  return {
    rhat: rhats.length === 0 ? Number.NaN : rhats.reduce((a, b) => Math.max(a, b)),
    ess: sizes.length === 0 ? Number.NaN : sizes.reduce((a, b) => Math.min(a, b)),
  };
}

/** A mean and the ends of its interval as text, rounded to `digits` digits of the interval's length. */
export function estimateTexts({ mean, q05, q95 }: Estimate, numerals: Numerals, digits = 3): EstimateTexts {
  const text = rounding((q95 - q05) * 10 ** (3 - digits), numerals);
  return { mean: text(mean), ends: [text(q05), text(q95)] };
}

interface EstimateTexts {
  readonly mean: string;
  readonly ends: readonly [string, string];
}

/** The range of the means of a variable's elements. */
export function meansTexts({ elements }: ForestVariable, numerals: Numerals): readonly [string, string] {
  const [from, to] = extentOf(elements.map(({ mean }) => mean));
  const text = rounding(to - from, numerals);
  return [text(from), text(to)];
}

/** Rounds numbers so that those a hundredth of `width` apart differ. */
function rounding(width: number, numerals: Numerals): (value: number) => string {
  const digits = width > 0 && Number.isFinite(width) ? Math.max(0, 2 - Math.floor(Math.log10(width))) : undefined;
  return (value) => {
    const isUsual = Math.abs(value) < 1e6 && digits !== undefined && digits <= 5;
    return isUsual ? numerals.fixed(value, digits) : numerals.short(value, 3);
  };
}
