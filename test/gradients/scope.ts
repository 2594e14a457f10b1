/** The result type of a user function; functions that return nothing or a count are `_lp` functions, which may add to `target`. */
export type Returned = 'real' | 'vector' | 'pair' | 'nothing' | 'count';

/** How the innermost loop is left, and how its next iteration is reached. */
export interface Jumps {
  readonly leave: string;
  readonly next: string;
}

/** Names that can be read, and those among them that can be written, of each kind of variable. */
export interface Names {
  readonly reals: string[];
  readonly writable: string[];
  /** Of four elements. */
  readonly vectors: string[];
  readonly writableVectors: string[];
  /** Ints that lie in 1 … 4. */
  readonly indexes: string[];
  /** Ints that are written, never negative. */
  readonly counters: string[];
  readonly complexes: string[];
  readonly writableComplexes: string[];
  /** `tuple(real, vector)` */
  readonly pairs: string[];
  readonly writablePairs: string[];
  /** Arrays of four pairs. */
  readonly tables: string[];
}

/** User functions of a real, a vector and an int, by what they return. */
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

/** What the statement or expression being written can see. */
export class Scope {
  readonly names: Names;
  /** Null outside of loops. */
  readonly jumps: Jumps | null;
  /** Inside a function: what it returns; in the model block null. */
  readonly returns: Returned | null;
  /** Loops around it that are written iteration by iteration. */
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

  /** Whether `target` may be written here. */
  get addsToTarget(): boolean {
    return this.returns === null || this.returns === 'nothing' || this.returns === 'count';
  }

  /** Whether recursion is written call by call. */
  get isUnrolled(): boolean {
    return this.#shared.isUnrolled;
  }

  /** Whether a loop is written iteration by iteration; those inside its iterations stay loops. */
  get unrollsLoops(): boolean {
    return this.isUnrolled && this.#unrolled === 0;
  }

  get functions(): Functions {
    return this.#shared.functions;
  }

  /** A block that sees what is declared so far. */
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

  /** The body of a function, which sees none of the variables. */
  body(returns: Returned): Scope {
    return new Scope(noNames(), null, returns, 0, this.#shared);
  }

  fresh(prefix: string): string {
    return `${prefix}${this.#shared.next++}`;
  }
}
