import { placesOf, splitNames } from '../run/columns.js';
import type { MemoryDraws } from '../run/memory-draws.js';
import type { AdaptedSettings } from '../run/request.js';
import type { ChainRecord } from './chain-record.js';
import { RequestError } from './errors.js';

/** What a run was asked for, with every default. */
export interface Asked {
  /** Full name, `stan::services::…`. */
  readonly function: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly random_seed: number;
}

/** A chain of a fit. */
export interface FitChain {
  readonly id: number;
  /** Draws of warmup, which come first where they were saved. */
  readonly warmup: number;
  /** Draws after warmup. */
  readonly draws: number;
  /** All draws row by row, those of warmup first: `columns.length` numbers each. */
  readonly values: Float64Array;
  /** Diagnostics row by row, one for each draw of a sampler: `diagnosticColumns.length` numbers each. */
  readonly diagnostics: Float64Array;
  /** The accepted initial point, unconstrained; undefined where a function has none. */
  readonly initial: Float64Array | undefined;
  /** What a sampler moved with after warmup, as its arguments take it. */
  readonly adapted: AdaptedSettings | undefined;
}

/** Draws of a run, whole or so far. It does not change. */
export class Fit {
  readonly asked: Asked;
  /** Names of a draw's numbers: the function's own, then the model's: `theta.2` is element 2 of `theta`. */
  readonly columns: readonly string[];
  readonly diagnosticColumns: readonly string[];
  /** In the order of their ids. */
  readonly chains: readonly FitChain[];

  constructor(asked: Asked, records: readonly ChainRecord[]) {
    this.asked = asked;
    const [first] = records;
    this.columns = first?.columns ?? [];
    this.diagnosticColumns = first?.diagnosticColumns ?? [];
    this.chains = records.map((record) => record.snapshot());
  }

  /** A column by its name, `theta[2]` or `theta.2`: the draws after warmup of each chain. */
  column(name: string): Float64Array[] {
    const [place, ...others] = this.places(name);
    if (others.length > 0) throw new RequestError([{ field: name, message: 'is a container: name one element' }]);
    return this.columnAt(place);
  }

  /** The places of a variable's or an element's columns among `columns`. Throws `RequestError` for an unknown name. */
  places(name: string): number[] {
    const found = splitNames(name).flatMap((each) => placesOf(each, this.columns));
    if (found.length === 0) throw new RequestError([{ field: name, message: 'is not among the draws' }]);
    return found;
  }

  /** The draws after warmup of each chain, of the column in that place among `columns`. */
  columnAt(place: number): Float64Array[] {
    const width = this.columns.length;
    return this.chains.map(({ draws, values, warmup }) => {
      const column = new Float64Array(draws);
      for (let row = 0; row < draws; row++) column[row] = values[(warmup + row) * width + place];
      return column;
    });
  }

  /** The draws after warmup as inputs of another run. */
  memoryDraws(): MemoryDraws {
    const { columns, diagnosticColumns } = this;
    const isMany = this.chains.length > 1;
    return {
      columns,
      diagnosticColumns: this.chains.some(({ diagnostics }) => diagnostics.length > 0) ? diagnosticColumns : [],
      chains: this.chains.map(({ diagnostics, draws, id, values, warmup }) => {
        const hasDiagnostics = diagnostics.length === (warmup + draws) * diagnosticColumns.length;
        return {
          id,
          chain: isMany ? id : undefined,
          draws,
          values: values.slice(warmup * columns.length),
          diagnostics: hasDiagnostics ? diagnostics.slice(warmup * diagnosticColumns.length) : undefined,
        };
      }),
    };
  }
}
