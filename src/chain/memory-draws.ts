import type { StoredChain, StoredDraws } from './request.js';
import type { SamplerState } from './sampler-state.js';

/** The draws of a chain after warmup, in row-major order. `diagnostics` has the same layout and is set if every draw has a diagnostic. */
interface ChainRows extends StoredChain {
  readonly values: Float64Array;
  readonly diagnostics: Float64Array | undefined;
  readonly state?: SamplerState;
}

/** Draws in memory. They survive structured cloning. */
export interface MemoryDraws {
  readonly columns: readonly string[];
  readonly diagnosticColumns: readonly string[];
  readonly chains: readonly ChainRows[];
}

/** Draws in memory as inputs of a run. */
export function storedDraws({ chains, columns, diagnosticColumns }: MemoryDraws): StoredDraws {
  return {
    columns,
    diagnosticColumns,
    chains,
    state: (id) => chains.find((chain) => chain.id === id)?.state,
    *read(id, from = 0) {
      const chain = chains.find((each) => each.id === id);
      if (chain === undefined) throw new Error(`there is no chain ${id}`);
      const { diagnostics, draws, values } = chain;
      for (let row = from; row < draws; row++) {
        yield {
          values: rowOf(values, row, columns.length),
          diagnostic: diagnostics && rowOf(diagnostics, row, diagnosticColumns.length),
        };
      }
    },
  };
}

function rowOf(rows: Float64Array, row: number, width: number): Float64Array {
  return rows.subarray(row * width, (row + 1) * width);
}
