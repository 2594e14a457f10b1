/** Draws that are selected in one plot, by the values of their quantities, and marked in all plots. */

/** The name of a range of indexes in a chain, from 1, instead of a quantity. */
export const DRAW = 'draw';

/** A closed interval of one quantity. */
export interface Range {
  readonly name: string;
  readonly from: number;
  readonly to: number;
}

/** Whether each draw of each chain is selected: 1 or 0. */
export type Selected = readonly Uint8Array[];

/** The draws in all ranges. `chainsOf` returns the draws of a quantity. An unknown quantity selects no draws. */
export function selectedDraws(
  ranges: readonly Range[],
  lengths: readonly number[],
  chainsOf: (name: string) => readonly Float64Array[] | undefined,
): Selected {
  const selected = lengths.map((length) => new Uint8Array(length).fill(ranges.length > 0 ? 1 : 0));
  for (const { name, from, to } of ranges) {
    const chains = name === DRAW ? undefined : chainsOf(name);
    for (const [chain, flags] of selected.entries()) {
      for (let index = 0; index < flags.length; index++) {
        const value = name === DRAW ? index + 1 : (chains?.[chain]?.[index] ?? Number.NaN);
        if (!(value >= from && value <= to)) flags[index] = 0;
      }
    }
  }
  return selected;
}

export function countSelected(selected: Selected): number {
  return selected.reduce((sum, flags) => sum + flags.reduce((count, flag) => count + flag, 0), 0);
}

/** The values of a quantity in selected draws. */
export function valuesOf(chains: readonly Float64Array[], selected: Selected): Float64Array[] {
  return chains.map((chain, k) => chain.filter((_, index) => selected[k]?.[index] === 1));
}
