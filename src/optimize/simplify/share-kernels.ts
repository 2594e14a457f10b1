import { usesOf } from '../../dataflow/cached.js';
import { isLoop } from '../../dataflow/effects.js';
import type { Uses } from '../../dataflow/uses.js';
import { ValueNumbers } from '../../dataflow/value-numbers.js';
import { KERNELS } from '../../functions/kernels.js';
import { int, load } from '../../ir/expressions.js';
import type { Block, KernelArgument, Ref, Statement, StatementOf, Variable } from '../../ir/nodes.js';
import { blocksOf, mapBlocks, visitStatements } from '../../ir/walk.js';
import { substituteVariables } from './substitute.js';

type Kernel = StatementOf<'kernel'>;

/**
 * Common subexpression elimination for kernels: a kernel that is called twice with the same arguments, as by `eigenvectors_sym(K)` and
 * `eigenvalues_sym(K)`, is called once, and its results replace those of the second call. Applies to calls in the same block whose outputs
 * nothing else writes. Must precede differentiation, so that the outputs have one adjoint, and `hoistData`, which moves the allocation of
 * work memory.
 */
export function shareKernels(block: Block): Block {
  let count = 0;
  visitStatements(block, ({ kind }) => {
    if (kind === 'kernel') count++;
  });
  if (count < 2) return block;
  const repeated = new Repeated(block);
  if (repeated.outputs.size === 0) return block;
  const shared = new Set(repeated.outputs.values());
  const isRepeated = (statement: Statement): boolean =>
    repeated.calls.has(statement) || (statement.kind === 'allocate' && repeated.outputs.has(statement.ref));
  const remove = (inner: Block): Block =>
    inner.flatMap((statement) => {
      if (isRepeated(statement)) return [];
      // The call writes every element.
      if (statement.kind === 'allocate' && shared.has(statement.ref)) return [{ ...statement, fill: 'none' }];
      return [mapBlocks(statement, remove)];
    });
  return substituteVariables(remove(block), repeated.outputs);
}

/** Finds calls that repeat the computation of an earlier call. */
class Repeated {
  readonly calls = new Set<Statement>();
  /** For each variable that a repeated call writes, the variable of the first call with the same value. */
  readonly outputs = new Map<Variable, Variable>();
  readonly #uses: Uses;
  readonly #numbers = new ValueNumbers();
  /** Containers that have been allocated. */
  readonly #allocated = new Set<Ref>();
  /** Containers with views. */
  readonly #viewed = new Set<Ref>();

  constructor(block: Block) {
    this.#uses = usesOf(block);
    visitStatements(block, (statement) => {
      if (statement.kind === 'view' && statement.ref.parent !== null) this.#viewed.add(statement.ref.parent);
    });
    this.#block(block);
  }

  #block(block: Block): void {
    const known = new Map<string, Kernel>();
    const sizes = new Map<Ref, string>();
    for (const statement of block) {
      this.#numbers.start();
      if (statement.kind === 'allocate') {
        this.#allocated.add(statement.ref);
        sizes.set(statement.ref, statement.sizes.map((size) => this.#numbers.numberOf(size)).join());
      }
      const key = statement.kind === 'kernel' ? this.#keyOf(statement, sizes) : null;
      if (statement.kind === 'kernel' && key !== null) {
        const first = known.get(key);
        if (first === undefined) known.set(key, statement);
        else this.#note(statement, first);
      }
      if (isLoop(statement)) this.#numbers.enter(statement, this.#uses);
      for (const inner of blocksOf(statement)) this.#block(inner);
      this.#numbers.pass(statement);
    }
  }

  /**
   * A key that is equal for calls that compute the same values; null if the call may have another effect, or if other statements write its
   * outputs. `sizes`: of the containers that have been allocated in the call's block.
   */
  #keyOf({ name, args, result }: Kernel, sizes: ReadonlyMap<Ref, string>): string | null {
    const kernel = KERNELS.get(name);
    if (kernel === undefined || kernel.outputs.length === 0) return null;
    if (result !== null && (result.storage === 'global' || this.#uses.writes(result).length !== 1)) return null;
    const parts: (string | number)[] = [name];
    for (const [k, argument] of args.entries()) {
      const part = kernel.outputs.includes(k) ? this.#sizesOf(argument, sizes) : this.#valueOf(argument);
      if (part === null) return null;
      parts.push(part);
    }
    return parts.join(' ');
  }

  /** The sizes of an output that only this call writes, after its allocation. */
  #sizesOf(argument: KernelArgument, allocated: ReadonlyMap<Ref, string>): string | null {
    if (argument.kind !== 'pointer' || argument.adjoint || argument.offset !== null) return null;
    const { ref } = argument;
    const isOwn = ref.storage === 'local' && ref.parent === null && this.#uses.writes(ref).length === 2;
    const sizes = allocated.get(ref);
    return isOwn && !this.#viewed.has(ref) && sizes !== undefined ? `(${sizes})` : null;
  }

  #valueOf(argument: KernelArgument): string | number | null {
    if (argument.kind === 'random_state') return null;
    if (argument.kind !== 'pointer') return this.#numbers.numberOf(argument);
    if (argument.adjoint) return null;
    const { ref, offset } = argument;
    const isScratch = this.#allocated.has(ref) && this.#uses.writes(ref).length === 1 && !this.#viewed.has(ref);
    return isScratch ? 'scratch' : this.#numbers.numberOf(load(ref, offset ?? int(0)));
  }

  #note(repeated: Kernel, first: Kernel): void {
    this.calls.add(repeated);
    if (repeated.result !== null && first.result !== null) this.outputs.set(repeated.result, first.result);
    for (const k of KERNELS.get(repeated.name)?.outputs ?? []) {
      const [own, other] = [repeated.args[k], first.args[k]];
      if (own.kind === 'pointer' && other.kind === 'pointer') this.outputs.set(own.ref, other.ref);
    }
  }
}
