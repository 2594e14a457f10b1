/** Draws that are picked out in one plot and marked in all, by what their quantities are. */

/** The name under which a range is of places in a chain, from 1, rather than of a quantity. */
export const DRAW = 'draw';

/** Values of one quantity, ends included. */
export interface Range {
  readonly name: string;
  readonly from: number;
  readonly to: number;
}

/** For each draw of each chain whether it is picked out: 1 or 0. */
export type Selected = readonly Uint8Array[];

/** The draws that lie in all ranges. `chainsOf` gives a quantity's draws; what it does not know picks out nothing. */
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

/** The picked-out values of a quantity. */
export function valuesOf(chains: readonly Float64Array[], selected: Selected): Float64Array[] {
  return chains.map((chain, k) => chain.filter((_, index) => selected[k]?.[index] === 1));
}
