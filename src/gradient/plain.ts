import { KERNELS } from '../functions/kernels.js';
import { Builder, type Names } from '../ir/builder.js';
import { add, get, int, load, sub } from '../ir/expressions.js';
import type { Block, Expr, Local, Ref, Statement } from '../ir/nodes.js';
import { adjointRefs, blocksOf, mapBlocks, mapExpression, mapExpressions } from '../ir/walk.js';
import { forwardSums } from '../optimize/loops/forward-sums.js';
import { thinTape } from '../optimize/memory/tape.js';
import { removeDead } from '../optimize/simplify/dead.js';
import { nameCostly } from '../optimize/simplify/name-costly.js';
import { removeExits } from '../optimize/simplify/structure.js';
import { differentiate } from './differentiate.js';

/**
 * Reverse mode written as ordinary IR: statements that add the derivatives of `value`, which the block computes, with respect to the
 * elements of `by` to `adjoint`, and the value itself to `sum`. Adjoints are ordinary containers, so these statements may be inserted
 * anywhere. Null for calls, statements that need a tape, and kernels.
 */
export function plainGradient(
  names: Names,
  block: Block,
  value: Local,
  by: Ref,
  adjoint: Ref,
  sum: Local | null = null,
): Block | null {
  const builder = new Builder(names);
  const whole: Block = [...block, { kind: 'target', value: get(value), term: 'always', span: null }];
  if (contains(whole, ({ kind }) => kind === 'call')) return null;
  const loops = writeProductsOut(builder, removeDead(removeExits(names, whole)));
  const ready = nameCostly(names, forwardSums(loops));
  const keepJacobian = builder.newLocal('int', 'keep_jacobian');
  const { gradient } = differentiate(names, ready, [by], keepJacobian);
  const thin = thinTape(names, gradient);
  if (contains(thin, isBeyondPlain)) return null;
  // The Jacobian has no terms.
  const start: Statement = { kind: 'assign', local: keepJacobian, value: int(0) };
  return [start, ...new PlainAdjoints(builder, thin, new Map([[by, adjoint]]), sum).block(thin)];
}

const PRODUCTS: ReadonlySet<string> = new Set(['gemv', 'gemv_t', 'gemm', 'gemm_symmetric']);

/** Writes products of matrices as loops, because a product is linear in its first factor. */
function writeProductsOut(builder: Builder, block: Block): Block {
  return block.flatMap((statement): Block => {
    if (statement.kind !== 'kernel') return [mapBlocks(statement, (inner) => writeProductsOut(builder, inner))];
    const { name, args } = statement;
    const [out, first] = args;
    const loops = PRODUCTS.has(name) ? KERNELS.get(name)?.tangent : undefined;
    if (loops === undefined) return [statement];
    return builder.capture(() => loops(builder, args, [out, first, null, ...args.slice(3).map(() => null)]));
  });
}

function contains(block: Block, test: (statement: Statement) => boolean): boolean {
  return block.some((statement) => test(statement) || blocksOf(statement).some((inner) => contains(inner, test)));
}

function isBeyondPlain(statement: Statement): boolean {
  switch (statement.kind) {
    case 'push':
    case 'pop':
    case 'push_ref':
    case 'pop_ref':
      return true;
    case 'kernel':
      return statement.args.some((argument) => argument.kind === 'pointer' && argument.adjoint);
    default:
      return false;
  }
}

/** Gives each container of a gradient its own adjoint. */
class PlainAdjoints {
  readonly #builder: Builder;
  readonly #adjoints: Map<Ref, Ref>;
  readonly #active: ReadonlySet<Ref>;
  readonly #sum: Local | null;

  constructor(builder: Builder, block: Block, known: Map<Ref, Ref>, sum: Local | null) {
    this.#builder = builder;
    this.#sum = sum;
    this.#adjoints = known;
    this.#active = adjointRefs(block);
  }

  block(block: Block): Block {
    return block.flatMap((statement) => this.#statement(statement));
  }

  #of(ref: Ref): Ref {
    const known = this.#adjoints.get(ref);
    if (known !== undefined) return known;
    const parent = ref.parent === null ? null : this.#of(ref.parent);
    const made = this.#builder.newRef('real', ref.rank, `${ref.name}_adjoint`, 'local', parent);
    this.#adjoints.set(ref, made);
    return made;
  }

  #expression(e: Expr): Expr {
    return mapExpression(e, (node) => (node.kind === 'load_adjoint' ? load(this.#of(node.ref), node.index) : node));
  }

  #statement(original: Statement): readonly Statement[] {
    const statement = mapExpressions(original, (e) => this.#expression(e));
    switch (statement.kind) {
      case 'target':
        return this.#sum === null
          ? []
          : [{ kind: 'assign', local: this.#sum, value: add(get(this.#sum), statement.value) }];
      case 'allocate':
        if (!this.#active.has(statement.ref)) return [statement];
        return [statement, { ...statement, ref: this.#of(statement.ref), fill: 'zero' }];
      case 'view':
        if (!this.#active.has(statement.ref)) return [statement];
        return [statement, { ...statement, ref: this.#of(statement.ref) }];
      case 'set_adjoint':
        return [{ ...statement, kind: 'store', ref: this.#of(statement.ref) }];
      case 'add_adjoint': {
        const { ref, index, value } = statement;
        const adjoint = this.#of(ref);
        return [{ kind: 'store', ref: adjoint, index, value: add(load(adjoint, index), value) }];
      }
      case 'arena':
        return this.block(statement.body);
      case 'for_reverse': {
        const { index, from, to, body } = statement;
        const step = this.#builder.newLocal('int', 'step');
        const back: Statement = { kind: 'assign', local: index, value: sub(sub(add(to, from), int(1)), get(step)) };
        return [{ kind: 'for', index: step, from, to, body: [back, ...this.block(body)] }];
      }
      default:
        return [mapBlocks(statement, (inner) => this.block(inner))];
    }
  }
}
