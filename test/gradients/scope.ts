/** The result type of a user function; functions that return nothing or a count are `_lp` functions, which may add to `target`. */
export type Returned = 'real' | 'vector' | 'pair' | 'nothing' | 'count';

/** Statements that leave the innermost loop, and that start its next iteration. */
export interface Jumps {
  readonly leave: string;
  readonly next: string;
}

/** Names that can be read, and those that can be assigned to, for each type of variable. */
export interface Names {
  readonly reals: string[];
  readonly writable: string[];
  /** Vectors of four elements. */
  readonly vectors: string[];
  readonly writableVectors: string[];
  /** Ints in 1 … 4. */
  readonly indexes: string[];
  /** Nonnegative ints that are assigned to. */
  readonly counters: string[];
  readonly complexes: string[];
  readonly writableComplexes: string[];
  /** `tuple(real, vector)` */
  readonly pairs: string[];
  readonly writablePairs: string[];
  /** Arrays of four pairs. */
  readonly tables: string[];
}

/** User functions of a real, a vector and an int, by result type. */
export type Functions = Readonly<Record<Returned, string[]>>;

function noNames(): Names {
  return {
    reals: [],
    writable: [],
    vectors: [],
    writableVectors: [],
    indexes: [],
    counters: [],
    complexes: [],
    writableComplexes: [],
    pairs: [],
    writablePairs: [],
    tables: [],
  };
}

interface Shared {
  next: number;
  readonly isUnrolled: boolean;
  readonly functions: Functions;
}

/** What is visible to the statement or expression that is being written. */
export class Scope {
  readonly names: Names;
  /** Null outside of loops. */
  readonly jumps: Jumps | null;
  /** The result type of the enclosing function; null in the model block. */
  readonly returns: Returned | null;
  /** Enclosing loops that are written iteration by iteration. */
  readonly #unrolled: number;
  readonly #shared: Shared;

  private constructor(names: Names, jumps: Jumps | null, returns: Returned | null, unrolled: number, shared: Shared) {
    this.names = names;
    this.jumps = jumps;
    this.returns = returns;
    this.#unrolled = unrolled;
    this.#shared = shared;
  }

  static start(isUnrolled: boolean): Scope {
    return new Scope(noNames(), null, null, 0, {
      next: 1,
      isUnrolled,
      functions: { real: [], vector: [], pair: [], nothing: [], count: [] },
    });
  }

  /** Whether statements may add to `target` here. */
  get addsToTarget(): boolean {
    return this.returns === null || this.returns === 'nothing' || this.returns === 'count';
  }

  /** Whether recursion is written call by call. */
  get isUnrolled(): boolean {
    return this.#shared.isUnrolled;
  }

  /** Whether a loop is written iteration by iteration; loops inside its iterations stay loops. */
  get unrollsLoops(): boolean {
    return this.isUnrolled && this.#unrolled === 0;
  }

  get functions(): Functions {
    return this.#shared.functions;
  }

  /** A block in which the current declarations are visible. */
  inside(jumps: Jumps | null = this.jumps): Scope {
    return this.#nested(jumps, this.#unrolled);
  }

  /** One iteration of a loop that is written iteration by iteration. */
  iteration(jumps: Jumps): Scope {
    return this.#nested(jumps, this.#unrolled + 1);
  }

  #nested(jumps: Jumps | null, unrolled: number): Scope {
    const { reals, writable, vectors, writableVectors, indexes, counters } = this.names;
    const { complexes, writableComplexes, pairs, writablePairs, tables } = this.names;
    const names: Names = {
      reals: [...reals],
      writable: [...writable],
      vectors: [...vectors],
      writableVectors: [...writableVectors],
      indexes: [...indexes],
      counters: [...counters],
      complexes: [...complexes],
      writableComplexes: [...writableComplexes],
      pairs: [...pairs],
      writablePairs: [...writablePairs],
      tables: [...tables],
    };
    return new Scope(names, jumps, this.returns, unrolled, this.#shared);
  }

  /** The body of a function, in which no variables are visible. */
  body(returns: Returned): Scope {
    return new Scope(noNames(), null, returns, 0, this.#shared);
  }

  fresh(prefix: string): string {
    return `${prefix}${this.#shared.next++}`;
  }
}
