import { append } from '../base/multimap.js';
import type { VectorLoop } from '../dataflow/vectorize.js';
import type { Expr, Local } from '../ir/nodes.js';
import type { OpName } from '../ir/ops.js';
import { expressionsOf, visitExpression } from '../ir/walk.js';

type Apply = Extract<Expr, { kind: 'apply' }>;

/** A kernel over two lanes that computes a value and, with little additional work, its derivative. */
interface PairedKernel {
  readonly value: OpName;
  readonly derivative: OpName;
  readonly kernel: string;
}

/** The kernels take an address after the arguments, where they store the derivatives. */
const PAIRED: readonly PairedKernel[] = [
  { value: 'lgamma', derivative: 'digamma', kernel: 'lgamma_digamma_v' },
  { value: 'lgamma_rise', derivative: 'digamma_rise', kernel: 'lgamma_digamma_rise_v' },
  { value: 'rise_share', derivative: 'digamma_rise', kernel: 'rise_share_digamma_v' },
];

const OPS_OF_PAIRS: ReadonlySet<OpName> = new Set(PAIRED.flatMap(({ value, derivative }) => [value, derivative]));

/** One call for a value and its derivative. */
export class PairedCall {
  readonly kernel: string;
  readonly #value: OpName;
  /** The locals of the value and of the derivative, once the call has been written. */
  #results: readonly [number, number] | null = null;

  constructor({ kernel, value }: PairedKernel) {
    this.kernel = kernel;
    this.#value = value;
  }

  /** The local with the result of `op`; `write` writes the call and returns the locals of both results. */
  resultOf(op: OpName, write: () => readonly [number, number]): number {
    this.#results ??= write();
    return this.#results[op === this.#value ? 0 : 1];
  }
}

/**
 * The calls in a loop's body for which a value and its derivative are needed at the same arguments, such as log Γ for the log density and ψ
 * for its gradient. Applies where the arguments are variables that the body assigns at most once.
 */
export function pairedCalls({ body, sums, analysis }: VectorLoop): ReadonlyMap<Expr, PairedCall> {
  const applied = new Map<string, Apply[]>();
  const assigned = new Map<Local, number>();
  const numbers = new Map<Local, number>();
  const keyOf = ({ args }: Apply): string | null => {
    const keys: number[] = [];
    for (const arg of args) {
      if (arg.kind !== 'get' || sums.has(arg.local)) return null;
      if (!numbers.has(arg.local)) numbers.set(arg.local, numbers.size);
      keys.push(numbers.get(arg.local) ?? 0);
    }
    return keys.join();
  };
  for (const statement of body) {
    if (statement.kind === 'assign') assigned.set(statement.local, (assigned.get(statement.local) ?? 0) + 1);
    for (const root of expressionsOf(statement)) {
      visitExpression(root, (e) => {
        if (e.kind === 'apply' && OPS_OF_PAIRS.has(e.op) && !analysis.isInvariant(e)) {
          const key = keyOf(e);
          if (key !== null) append(applied, key, e);
        }
      });
    }
  }
  const calls = new Map<Expr, PairedCall>();
  for (const same of applied.values()) {
    if (same[0].args.some((arg) => arg.kind === 'get' && (assigned.get(arg.local) ?? 0) > 1)) continue;
    for (const pair of PAIRED) {
      const values = same.filter(({ op }) => op === pair.value);
      const derivatives = same.filter(({ op }) => op === pair.derivative);
      if (values.length === 0 || derivatives.length === 0) continue;
      const call = new PairedCall(pair);
      for (const e of [...values, ...derivatives]) if (!calls.has(e)) calls.set(e, call);
    }
  }
  return calls;
}
