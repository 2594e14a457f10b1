import { append } from '../../base/multimap.js';
import { usesOf } from '../../dataflow/cached.js';
import { visitLiveness } from '../../dataflow/liveness.js';
import type { Uses } from '../../dataflow/uses.js';
import { Builder, type Names } from '../../ir/builder.js';
import { add, compare, get, int, iterationsOf, load, sub } from '../../ir/expressions.js';
import { sameExpression } from '../../ir/interned.js';
import type { Block, Expr, Local, Ref, Statement, StatementOf, Variable } from '../../ir/nodes.js';
import { isKernelCall } from '../../ir/ops.js';
import { withElement, withSizes } from '../../ir/remake.js';
import {
  assignedLocals,
  blocksOf,
  mapBlocks,
  mapOwnNodes,
  mapStatements,
  visitOwnExpressions,
  visitStatements,
} from '../../ir/walk.js';
import { removeDead } from '../simplify/dead.js';
import { substituteVariables } from '../simplify/substitute.js';
import { IterationBlocks } from './iteration-blocks.js';
import { savedValues } from './saved-values.js';

type ForLoop = StatementOf<'for'>;
type Reverse = StatementOf<'for_reverse'>;
type Allocate = StatementOf<'allocate'>;

/**
 * Checkpointing of recurrences (Griewank & Walther, Evaluating Derivatives, chapter 12), that is, of loops that save scalars of each
 * iteration because they are reversed after their last iteration. The iterations run in blocks. The scalars at the start of each block are
 * kept, but the values of iterations only for two blocks. While a block is reversed, the values of the previous block are computed again,
 * one iteration after each reversed one, so that neither recurrence waits for the other. The memory is that of two blocks and of one
 * iteration per block. Values and gradients stay the same. A short loop is one block.
 *
 * Does not change loops that are inside other loops or have no recurrence, or for which computing the values again would call kernels, read
 * containers that change, or require more than assignments, conditions and loops. Must follow `thinTape`, which leaves on the tape what
 * depends on previous iterations.
 */
export function checkpointLoops(names: Names, block: Block): Block {
  return hasReversedLoop(block) ? new Checkpoints(names, block).block(block) : block;
}

/** Blocks that run at most once may contain recurrences. */
function runsOnce(statement: Statement): boolean {
  return statement.kind === 'arena' || statement.kind === 'if';
}

function hasReversedLoop(block: Block): boolean {
  return block.some(
    (statement) =>
      statement.kind === 'for_reverse' || (runsOnce(statement) && blocksOf(statement).some(hasReversedLoop)),
  );
}

/** A loop with its reverse, and their bodies with containers in place of the tape, which are read at the index of the iteration minus `shift`. */
interface Recurrence {
  readonly forward: ForLoop;
  readonly reverse: Reverse;
  readonly run: Block;
  readonly back: Block;
  readonly shift: Local;
  /** Containers in place of the tape. */
  readonly saved: readonly Ref[];
  /** Other containers with an element for each iteration. */
  readonly filled: readonly Allocate[];
  /** What computes the values of an iteration. */
  readonly again: Block;
  /** The scalars that `again` assigns. */
  readonly assigned: ReadonlySet<Local>;
  /** Those that an iteration reads from the previous one. */
  readonly carried: readonly Local[];
}

class Checkpoints {
  readonly #builder: Builder;
  readonly #uses: Uses;

  constructor(names: Names, block: Block) {
    this.#builder = new Builder(names);
    this.#uses = usesOf(block);
  }

  block(block: Block): Block {
    const replaced = new Map<Statement, Block>();
    const loops = new Map<Local, ForLoop[]>();
    const allocations = new Map<Ref, Allocate>();
    for (const statement of block) {
      if (statement.kind === 'for') append(loops, statement.index, statement);
      if (statement.kind === 'allocate') allocations.set(statement.ref, statement);
    }
    for (const reverse of block) {
      if (reverse.kind !== 'for_reverse') continue;
      const [only, ...others] = loops.get(reverse.index) ?? [];
      if (only === undefined || others.length > 0) continue;
      const recurrence = this.#recurrenceOf(only, reverse, allocations);
      if (recurrence === null) continue;
      const { forward, saved, filled } = recurrence;
      const blocks = IterationBlocks.of(this.#builder, forward, saved.length + filled.length);
      if (blocks === null) continue;
      const starts = recurrence.carried.map(({ type, name }) => this.#builder.newRef(type, 1, `${name}_starts`));
      for (const statement of filled) replaced.set(statement, []);
      replaced.set(forward, this.#forward(recurrence, blocks, starts));
      replaced.set(reverse, this.#reverse(recurrence, blocks, starts));
    }
    return mapStatements(block, (statement) => {
      const inside = (): Statement => mapBlocks(statement, (inner) => this.block(inner));
      return replaced.get(statement) ?? (runsOnce(statement) ? inside() : statement);
    });
  }

  /** `allocations`: those of the block that contains both loops. */
  #recurrenceOf(forward: ForLoop, reverse: Reverse, allocations: ReadonlyMap<Ref, Allocate>): Recurrence | null {
    const shift = this.#builder.newLocal('int', 'shift');
    const at = sub(get(forward.index), get(shift));
    const values = savedValues(this.#builder, forward.body, reverse.body, at);
    if (values === null) return null;
    const filled = [...this.#uses.mentioned(forward)].flatMap((variable) => {
      const allocation = variable.kind === 'ref' ? allocations.get(variable) : undefined;
      return allocation !== undefined && this.#isFilled(allocation, forward, reverse) ? [allocation] : [];
    });
    const elements = new Set(filled.map(({ ref }) => ref));
    const run = withElementsAt(values.forward, elements, at);
    const kept = new Set([...values.refs, ...elements]);
    if (kept.size === 0) return null;
    const again = removeDead(withoutEffects(run), kept);
    const assigned = new Set<Local>();
    visitStatements(again, (statement) => {
      for (const local of assignedLocals(statement)) assigned.add(local);
    });
    if (!this.#isRepeatable(again, forward, reverse, kept, assigned)) return null;
    if (carriedLocals(withoutStores(again), forward.index, assigned).length === 0) return null;
    return {
      forward,
      reverse,
      run,
      back: withElementsAt(values.reverse, elements, at),
      shift,
      saved: values.refs,
      filled,
      again,
      assigned,
      carried: carriedLocals(again, forward.index, assigned),
    };
  }

  #forward(recurrence: Recurrence, blocks: IterationBlocks, starts: readonly Ref[]): Block {
    const { forward, run, shift, saved, filled, carried } = recurrence;
    const builder = this.#builder;
    const allocate = (ref: Ref, size: Expr): Statement => ({ kind: 'allocate', ref, sizes: [size], fill: 'none' });
    const loops = builder.capture(() =>
      builder.each(blocks.count, (k) => {
        for (const [n, ref] of starts.entries()) builder.store(ref, k, get(carried[n]));
        const { from, to } = blocks.at(k, shift);
        builder.emit({ kind: 'for', index: forward.index, from, to, body: run });
      }),
    );
    return [
      ...blocks.before,
      ...saved.map((ref) => allocate(ref, blocks.kept)),
      ...filled.map((statement) => withSizes(statement, [blocks.kept])),
      ...starts.map((ref) => allocate(ref, blocks.count)),
      ...loops,
    ];
  }

  #reverse(recurrence: Recurrence, blocks: IterationBlocks, starts: readonly Ref[]): Block {
    const { forward, back, shift, again, assigned, carried } = recurrence;
    const builder = this.#builder;
    // The reverse sweep still reads the scalars of its own block.
    const renamed = new Map<Local, Local>();
    const other = (local: Local): Local => {
      const known = renamed.get(local) ?? builder.newLocal(local.type, local.name);
      renamed.set(local, known);
      return known;
    };
    for (const local of [forward.index, shift, ...assigned]) other(local);
    const index = other(forward.index);
    const k = builder.newLocal('int', 'k');
    const body = builder.capture(() => {
      const before = sub(get(k), int(1));
      const own = blocks.at(get(k), shift);
      const earlier = blocks.at(before, other(shift));
      builder.if(compare('gt', get(k), int(0)), () => {
        for (const [n, ref] of starts.entries()) builder.assign(other(carried[n]), load(ref, before));
      });
      builder.assign(index, earlier.from);
      const recompute = builder.capture(() =>
        builder.if(compare('lt', get(index), earlier.to), () => {
          for (const statement of substituteVariables(again, renamed)) builder.emit(statement);
          builder.assign(index, add(get(index), int(1)));
        }),
      );
      const { from, to } = own;
      builder.emit({ kind: 'for_reverse', index: forward.index, from, to, body: [...back, ...recompute] });
    });
    return [{ kind: 'for_reverse', index: k, from: int(0), to: blocks.count, body }];
  }

  /** Whether the container has an element for each iteration, and only the loop and its reverse use it, each iteration its own element. */
  #isFilled({ ref, sizes, fill }: Allocate, forward: ForLoop, reverse: Reverse): boolean {
    const uses = this.#uses;
    const inside = uses.countIn(ref, forward) + uses.countIn(ref, reverse);
    if (fill !== 'none' || sizes.length !== 1 || inside === 0 || inside + 1 !== uses.count(ref)) return false;
    if (!sameExpression(sizes[0], iterationsOf(forward.from, forward.to))) return false;
    const at = sub(get(forward.index), forward.from);
    let mentions = 0;
    const note = (index: Expr): void => {
      if (sameExpression(index, at)) mentions++;
    };
    visitStatements([forward, reverse], (statement) => {
      if (statement.kind === 'store' && statement.ref === ref) note(statement.index);
      visitOwnExpressions(statement, (node) => {
        if (node.kind === 'load' && node.ref === ref) note(node.index);
      });
    });
    return mentions === inside;
  }

  /** Whether the statements, run again in the reverse sweep, compute what they have computed in the forward sweep, at little cost. */
  #isRepeatable(
    again: Block,
    forward: ForLoop,
    reverse: Reverse,
    kept: ReadonlySet<Ref>,
    assigned: ReadonlySet<Local>,
  ): boolean {
    const isFixed = (variable: Variable): boolean => !this.#uses.isChangedBetween(variable, forward, reverse);
    const isRepeatableNode = (node: Expr): boolean => {
      switch (node.kind) {
        case 'get':
          return node.local === forward.index || assigned.has(node.local) || isFixed(node.local);
        case 'load':
          for (let ref: Ref | null = node.ref; ref !== null; ref = ref.parent) if (!isFixed(ref)) return false;
          return true;
        case 'size':
          return isFixed(node.ref);
        case 'load_adjoint':
        case 'target':
          return false;
        default:
          return !isKernelCall(node);
      }
    };
    let isRepeatable = true;
    visitStatements(again, (statement) => {
      const { kind } = statement;
      isRepeatable &&=
        kind === 'store' ? kept.has(statement.ref) : kind === 'assign' || kind === 'if' || kind === 'for';
      visitOwnExpressions(statement, (node) => (isRepeatable &&= isRepeatableNode(node)));
    });
    return isRepeatable;
  }
}

/** The locals that an iteration reads from the previous one. */
function carriedLocals(body: Block, index: Local, assigned: ReadonlySet<Local>): readonly Local[] {
  const carried: Local[] = [];
  const start: Statement = { kind: 'arena', body: [] };
  const loop: ForLoop = { kind: 'for', index, from: int(0), to: int(1), body };
  visitLiveness([start, loop], [], (statement, isLive) => {
    if (statement === start) carried.push(...[...assigned].filter(isLive));
  });
  return carried;
}

function withoutStores(block: Block): Block {
  return block.flatMap((statement) => (statement.kind === 'store' ? [] : [mapBlocks(statement, withoutStores)]));
}

/** The block with different indexes for the elements of some containers. */
function withElementsAt(block: Block, refs: ReadonlySet<Ref>, at: Expr): Block {
  if (refs.size === 0) return block;
  return block.map((statement) => {
    const own = mapOwnNodes(statement, (node) =>
      node.kind === 'load' && refs.has(node.ref) ? load(node.ref, at) : node,
    );
    const moved = own.kind === 'store' && refs.has(own.ref) ? withElement(own, at, own.value) : own;
    return mapBlocks(moved, (inner) => withElementsAt(inner, refs, at));
  });
}

/** The block without the statements that only reverse parts, `target` and messages need. */
function withoutEffects(block: Block): Block {
  return block.flatMap((statement): Block => {
    switch (statement.kind) {
      case 'target':
      case 'check':
      case 'print':
      case 'reject':
      case 'add_adjoint':
      case 'set_adjoint':
      case 'for_reverse':
        return [];
      case 'kernel':
        return statement.args.some((argument) => argument.kind === 'pointer' && argument.adjoint) ? [] : [statement];
      default:
        return [mapBlocks(statement, withoutEffects)];
    }
  });
}
