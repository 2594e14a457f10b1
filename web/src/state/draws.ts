/** Draws of runs, column by column in typed arrays that grow; too large to be copied on every change, so that they stand beside the state. */

class ChainColumns {
  #capacity = 0;
  #columns: Float64Array<ArrayBuffer>[] = [];
  count = 0;

  /** Adds rows, each with a number for every column. */
  add(rows: Float64Array, count: number, width: number): void {
    this.#reserve(this.count + count, width);
    for (let column = 0; column < width; column++) {
      const target = this.#columns[column];
      for (let row = 0; row < count; row++) target[this.count + row] = rows[row * width + column];
    }
    this.count += count;
  }

  /** The draws of a column from one on: a view, not a copy. */
  column(index: number, from: number): Float64Array<ArrayBuffer> {
    return (this.#columns[index] ?? new Float64Array(0)).subarray(from, this.count);
  }

  #reserve(needed: number, width: number): void {
    if (needed <= this.#capacity) return;
    this.#capacity = Math.max(needed, 2 * this.#capacity, 256);
    this.#columns = Array.from({ length: width }, (_, index) => {
      const larger = new Float64Array(this.#capacity);
      larger.set(this.#columns[index] ?? []);
      return larger;
    });
  }
}

interface DrawnChain {
  readonly id: number;
  readonly columns: ChainColumns;
  /** Draws of warmup, which come first. */
  warmup: number;
}

export class Draws {
  columns: readonly string[] = [];
  readonly chains: DrawnChain[] = [];
  /** Grows with everything that is added. */
  version = 0;

  begin(chain: number, columns: readonly string[]): void {
    this.columns = columns;
    if (!this.chains.some(({ id }) => id === chain))
      this.chains.push({ id: chain, columns: new ChainColumns(), warmup: 0 });
    this.chains.sort((a, b) => a.id - b.id);
    this.version++;
  }

  add(chain: number, rows: Float64Array, count: number): void {
    this.#chain(chain)?.columns.add(rows, count, this.columns.length);
    this.version++;
  }

  /** What has been drawn so far in a chain was warmup. */
  endWarmup(chain: number): void {
    const found = this.#chain(chain);
    if (found !== undefined) found.warmup = found.columns.count;
  }

  /** A column's draws after warmup, an array a chain; empty for a name that is none. */
  column(name: string): readonly Float64Array<ArrayBuffer>[] {
    const index = this.columns.indexOf(name);
    return index < 0 ? [] : this.chains.map(({ columns, warmup }) => columns.column(index, warmup));
  }

  /** The same number of draws of each chain, as statistics take them. */
  evenColumn(name: string): readonly Float64Array<ArrayBuffer>[] {
    const columns = this.column(name);
    const count = Math.min(...columns.map(({ length }) => length));
    return columns.map((column) => column.subarray(0, count));
  }

  /** Draws after warmup in the shortest chain. */
  get count(): number {
    return this.chains.length === 0 ? 0 : Math.min(...this.chains.map(({ columns, warmup }) => columns.count - warmup));
  }

  /** The model's own quantities and the log density; without what a sampler reports of itself. */
  get quantities(): readonly string[] {
    return this.columns.filter((name) => name === 'lp__' || !name.endsWith('__'));
  }

  #chain(id: number): DrawnChain | undefined {
    return this.chains.find((chain) => chain.id === id);
  }
}

const drawsByRun = new Map<string, Draws>();

/** The draws of a run; none yet for a new one. */
export function drawsOf(runId: string): Draws {
  const known = drawsByRun.get(runId);
  if (known !== undefined) return known;
  const draws = new Draws();
  drawsByRun.set(runId, draws);
  return draws;
}
