import { type Code, functionType, type ValueType } from './assembler.js';

/** A loop over vectors: its parameters, its operations at each index, and its result. */
export interface VectorLoop {
  /** Number of vectors, given by their addresses; the length in bytes, a multiple of 16, follows them. */
  readonly vectors: number;
  /** Number of scalar parameters, after the length. */
  readonly scalars: number;
  /** Number of locals for intermediate values. */
  readonly variables: number;
  /** Number of sums over all elements, which start at 0. */
  readonly sums: number;
  /** The result: nothing, the first sum, or 1 if all sums are positive and 0 otherwise. */
  readonly result: 'nothing' | 'sum' | 'all positive';
  steps(loop: LoopWriter): readonly Code[];
}

const I32 = 0x7f;
const V128 = 0x7b;

/**
 * Writes one loop over vectors of doubles, two elements at a time (SIMD). For such loops in JavaScript, V8 checks map, bounds and index overflow at
 * every element.
 */
export class LoopWriter {
  private readonly loop: VectorLoop;

  constructor(loop: VectorLoop) {
    this.loop = loop;
  }

  /** Two elements of a vector. */
  load(vector: number): Code {
    return [...this.address(vector), 0xfd, 0x00, 0x03, 0x00];
  }

  store(vector: number, value: Code): Code {
    return [...this.address(vector), ...value, 0xfd, 0x0b, 0x03, 0x00];
  }

  /** A scalar parameter, in both lanes. */
  scalar(index: number): Code {
    return [0x20, this.loop.vectors + 1 + index, 0xfd, 0x14];
  }

  get(variable: number): Code {
    return [0x20, this.index + 1 + variable];
  }

  set(variable: number, value: Code): Code {
    return [...value, 0x21, this.index + 1 + variable];
  }

  /** Adds to a sum. */
  sum(index: number, value: Code): Code {
    const variable = this.loop.variables + index;
    return this.set(variable, add(this.get(variable), value));
  }

  /** The encoded function body: its locals and its instructions. */
  body(): Code {
    const { index, loop } = this;
    const { sums, variables, vectors } = loop;
    const place = [0x20, index];
    return [
      ...[2, 1, I32, variables + sums, V128],
      ...[0x02, 0x40, 0x03, 0x40],
      ...[...place, 0x20, vectors, 0x4f, 0x0d, 1],
      ...loop.steps(this).flat(),
      ...[...place, 0x41, 16, 0x6a, 0x21, index, 0x0c, 0],
      ...[0x0b, 0x0b],
      ...this.resultCode(),
      0x0b,
    ];
  }

  /** The encoded function type. */
  type(): Code {
    const { result, scalars, vectors } = this.loop;
    const taken: ValueType[] = [...Array(vectors + 1).fill('i32'), ...Array(scalars).fill('f64')];
    const returned = { nothing: undefined, sum: 'f64', 'all positive': 'i32' } as const;
    return functionType(taken, returned[result]);
  }

  /** The local that counts the bytes processed. */
  private get index(): number {
    return this.loop.vectors + 1 + this.loop.scalars;
  }

  private address(vector: number): Code {
    return [0x20, vector, 0x20, this.index, 0x6a];
  }

  private resultCode(): Code {
    const { result, sums, variables } = this.loop;
    const lane = (sum: number, index: number) => [...this.get(variables + sum), 0xfd, 0x21, index];
    const total = (sum: number) => [...lane(sum, 0), ...lane(sum, 1), 0xa0];
    if (result === 'nothing') return [];
    if (result === 'sum') return total(0);
    const zero = [0x44, ...Array(8).fill(0)];
    return Array.from({ length: sums }, (_, sum) => [...total(sum), ...zero, 0x64, ...(sum > 0 ? [0x71] : [])]).flat();
  }
}

export function add(left: Code, right: Code): Code {
  return [...left, ...right, 0xfd, 0xf0, 0x01];
}

export function multiply(left: Code, right: Code): Code {
  return [...left, ...right, 0xfd, 0xf2, 0x01];
}
