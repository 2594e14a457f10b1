/** What the statement or expression being written can see. Vectors have four elements; indexes lie in 1 … 4. */
export class Scope {
  readonly reals: string[];
  readonly writable: string[];
  readonly vectors: string[];
  readonly writableVectors: string[];
  readonly indexes: string[];
  /** Ints that are written, never negative. */
  readonly counters: string[];
  readonly realFunctions: string[];
  readonly vectorFunctions: string[];
  readonly inLoop: boolean;
  /** Inside a function: what it returns; in the model block null, where `target` may be written. */
  readonly returns: 'real' | 'vector' | null;
  readonly #names: { next: number };

  constructor(outer: Partial<Scope> = {}, names: { next: number } = { next: 1 }) {
    this.reals = [...(outer.reals ?? [])];
    this.writable = [...(outer.writable ?? [])];
    this.vectors = [...(outer.vectors ?? [])];
    this.writableVectors = [...(outer.writableVectors ?? [])];
    this.indexes = [...(outer.indexes ?? [])];
    this.counters = [...(outer.counters ?? [])];
    this.realFunctions = [...(outer.realFunctions ?? [])];
    this.vectorFunctions = [...(outer.vectorFunctions ?? [])];
    this.inLoop = outer.inLoop ?? false;
    this.returns = outer.returns ?? null;
    this.#names = names;
  }

  inside(changes: Partial<Pick<Scope, 'inLoop' | 'returns'>> = {}): Scope {
    return new Scope({ ...this, ...changes }, this.#names);
  }

  fresh(prefix: string): string {
    return `${prefix}${this.#names.next++}`;
  }
}
