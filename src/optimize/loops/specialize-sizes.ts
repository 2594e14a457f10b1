import { usesOf } from '../../dataflow/cached.js';
import { writesOf } from '../../dataflow/effects.js';
import type { Uses } from '../../dataflow/uses.js';
import { Builder, type Names } from '../../ir/builder.js';
import { compare, get, int, isConst } from '../../ir/expressions.js';
import { sameExpression } from '../../ir/interned.js';
import type { Block, Expr, Local, Statement, StatementOf, Variable } from '../../ir/nodes.js';
import { isKernelCall } from '../../ir/ops.js';
import { rootOf } from '../../ir/refs.js';
import { withBody } from '../../ir/remake.js';
import {
  blocksOf,
  expressionsOf,
  mapBlocks,
  mapOwnNodes,
  someNode,
  visitOwnExpressions,
  visitStatements,
} from '../../ir/walk.js';
import { resolveSizes } from '../simplify/known-sizes.js';
import { substituteVariables } from '../simplify/substitute.js';
import { allocatesReals, atIndex, ownVariables } from './iterations.js';

type ForLoop = StatementOf<'for'>;

/** Sizes of an iteration's largest container for which copies are created. */
const EXTENTS = [2, 3, 4, 5];
/** Sizes for which copies are created if an iteration has no container: numbers of coordinates. */
const EXTENTS_OF_SUMS = [2, 3];
/** Maximum number of nodes of an iteration that is copied. */
const MOST_NODES = 500;
/** Size of a function such as `exp`, which is evaluated inline, in nodes of cheap operations. */
const CALL_NODES = 100;
/**
 * Maximum estimate of the nodes of all copies in a block after unrolling. Copies save 25 to 60 ns per iteration for each size, but larger
 * sizes require more code, so they get no copies once the limit is reached. Copies of 3000 to 5400 nodes make modules of 40 kB and their
 * compile times 2 to 4.4 times as large, and gradients 2.5 to 3 times as fast.
 */
const MOST_COPIED_NODES = 5400;
/**
 * Maximum estimate of the nodes of one copy. Larger copies cost compile time and gained nothing in softmax_choice_multinomial, the only
 * reference model that would have them.
 */
const MOST_COPY_NODES = 2000;
/** Maximum nesting depth of loops in a loop that is copied, because the inner loops are unrolled. */
const MOST_LOOPS = 4;

/**
 * Specialization of loops whose iterations compute with small vectors of a size that data determine, such as a user function with `softmax` or
 * `cumulative_sum` that is called once per observation: the loop is copied for the sizes 2 to 5, or fewer if the copies would be large, so that
 * inner loops can be unrolled and containers replaced by scalars. The size may differ between iterations. Iterations without containers that
 * compute costly functions of short sums, such as distances of points, are copied for the sizes 2 and 3: they then run two at a time.
 *
 * Applies to such loops if all sizes and inner loops depend on one number, nothing else runs over containers, and no iteration reads what
 * another one has written (the containers of recurrences stay in memory, so copies do not pay). Requires resolved sizes. Must precede
 * `unrollShortLoops`.
 */
export function specializeSizes(names: Names, block: Block, keepsChecks: boolean): Block {
  if (!isPromising(block)) return block;
  const specializer = new Specializer(names, usesOf(block));
  const specialized = specializer.block(block);
  return specializer.hasSpecialized ? resolveSizes(specialized, keepsChecks) : block;
}

function isPromising(block: Block): boolean {
  return block.some((statement) => {
    if (statement.kind === 'for' && (allocatesReals(statement.body) || computesFromSums(statement.body))) return true;
    return blocksOf(statement).some(isPromising);
  });
}

const IN_SUMS: ReadonlySet<Statement['kind']> = new Set(['assign', 'check']);

/** Whether inner loops only assign locals from which something costly is computed outside of them. */
function computesFromSums(body: Block): boolean {
  const sums = new Set<Local>();
  const readsSums = (e: Expr): boolean => someNode(e, (node) => node.kind === 'get' && sums.has(node.local));
  let isCostly = false;
  for (const statement of body) {
    if (statement.kind === 'for') {
      for (const inner of statement.body) {
        if (!IN_SUMS.has(inner.kind) || expressionsOf(inner).some((e) => someNode(e, isKernelCall))) return false;
        if (inner.kind === 'assign') sums.add(inner.local);
      }
      continue;
    }
    if (sums.size === 0) continue;
    isCostly ||= expressionsOf(statement).some((e) => someNode(e, (node) => isKernelCall(node) && readsSums(node)));
    if (statement.kind === 'assign' && readsSums(statement.value)) sums.add(statement.local);
  }
  return isCostly;
}

/** base + offset; a constant has no base. */
interface Size {
  readonly base: Expr | null;
  readonly offset: number;
}

/** The number that all sizes of an iteration depend on: the largest container has `base + offset` elements. */
interface Varying {
  readonly base: Expr;
  readonly offset: number;
  /** Sizes of the largest container, or of all sums, for which copies are made. */
  readonly extents: readonly number[];
}

class Specializer {
  hasSpecialized = false;
  #copiedNodes = 0;
  readonly #depths = new Map<Statement, number>();
  readonly #builder: Builder;
  readonly #uses: Uses;

  constructor(names: Names, uses: Uses) {
    this.#builder = new Builder(names);
    this.#uses = uses;
  }

  block(block: Block): Block {
    return block.flatMap((statement): readonly Statement[] => {
      const specialized = statement.kind === 'for' ? this.#loop(statement) : null;
      return specialized ?? [mapBlocks(statement, (inner) => this.block(inner))];
    });
  }

  /** The replacement of a loop; null if it is not changed. */
  #loop(loop: ForLoop): readonly Statement[] | null {
    if (this.#depthOf(loop) > MOST_LOOPS) return null;
    const varying = new IterationSizes(loop, this.#uses).varying();
    if (varying === null) return null;
    const { base } = varying;
    if (base.kind === 'get' && this.#uses.isWrittenIn(base.local, loop)) return this.#inside(loop, varying, base.local);
    const copy = (): ForLoop => {
      const index = this.#builder.newLocal('int', loop.index.name);
      return { ...loop, index, body: atIndex(this.#copy(loop.body, loop), loop.index, get(index)) };
    };
    return this.#cases(varying, loop.body, () => [copy()], [loop]);
  }

  /** The nesting depth of loops, including the statement itself. */
  #depthOf(statement: Statement): number {
    const known = this.#depths.get(statement);
    if (known !== undefined) return known;
    let depth = 0;
    for (const block of blocksOf(statement)) {
      for (const inner of block) depth = Math.max(depth, this.#depthOf(inner));
    }
    if (statement.kind === 'for') depth++;
    this.#depths.set(statement, depth);
    return depth;
  }

  /** Specializes the rest of an iteration, after the statement that assigns the size. */
  #inside(loop: ForLoop, varying: Varying, size: Local): readonly Statement[] | null {
    const assigned = loop.body.findIndex((statement) => statement.kind === 'assign' && statement.local === size);
    if (assigned < 0) return null;
    const rest = loop.body.slice(assigned + 1);
    const cases = this.#cases(varying, rest, () => this.#copy(rest, loop), rest);
    return cases && [withBody(loop, [...loop.body.slice(0, assigned + 1), ...cases])];
  }

  /** Conditions with copies of `iteration`, before `otherwise`; null if the limit permits no copy. */
  #cases(
    { base, offset, extents: possible }: Varying,
    iteration: Block,
    copy: () => Block,
    otherwise: Block,
  ): Block | null {
    const extents = possible.filter((extent) => extent > offset && this.#allows(unrolledNodes(iteration, extent)));
    if (extents.length === 0) return null;
    this.hasSpecialized = true;
    return extents
      .map((extent) => extent - offset)
      .reduceRight<Block>(
        (others, size) => [
          { kind: 'if', condition: compare('eq', base, int(size)), then: known(copy(), base, size), otherwise: others },
        ],
        otherwise,
      );
  }

  #allows(nodes: number): boolean {
    if (nodes > MOST_COPY_NODES || this.#copiedNodes + nodes > MOST_COPIED_NODES) return false;
    this.#copiedNodes += nodes;
    return true;
  }

  /** A copy of an iteration's statements, with new variables. */
  #copy(block: Block, loop: ForLoop): Block {
    const own: ReadonlyMap<Variable, Variable> = ownVariables(this.#builder, block, loop, this.#uses);
    return atIndex(substituteVariables(block, own), loop.index, get(loop.index));
  }
}

function known(block: Block, base: Expr, size: number): Block {
  const replace = (node: Expr): Expr => (sameExpression(node, base) ? int(size) : node);
  const rewrite = (inner: Block): Block =>
    inner.map((statement) => mapBlocks(mapOwnNodes(statement, replace), rewrite));
  return rewrite(block);
}

/** An upper bound on the number of nodes of an iteration whose inner loops, of at most `extent` iterations each, are unrolled. */
function unrolledNodes(block: Block, extent: number): number {
  let nodes = 0;
  for (const statement of block) {
    visitOwnExpressions(statement, (node) => {
      nodes += isKernelCall(node) ? CALL_NODES : 1;
    });
    const repeated = statement.kind === 'for' ? extent : 1;
    for (const inner of blocksOf(statement)) nodes += repeated * unrolledNodes(inner, extent);
  }
  return nodes;
}

/** Sizes of the containers and inner loops of an iteration. */
class IterationSizes {
  readonly #loop: ForLoop;
  readonly #uses: Uses;
  #base: Expr | null = null;
  #offset = 0;

  constructor(loop: ForLoop, uses: Uses) {
    this.#loop = loop;
    this.#uses = uses;
  }

  /** Null if sizes do not depend on exactly one number, or the iteration contains unsuitable statements. */
  varying(): Varying | null {
    let nodes = 0;
    const allocated: Expr[] = [];
    const ends: Expr[] = [];
    let isPlain = true;
    visitStatements(this.#loop.body, (statement) => {
      visitOwnExpressions(statement, () => nodes++);
      if (OTHER.has(statement.kind) || !this.#writesOwn(statement)) isPlain = false;
      if (statement.kind === 'allocate') allocated.push(...statement.sizes);
      if (statement.kind === 'for') ends.push(statement.from, statement.to);
    });
    if (!isPlain || nodes > MOST_NODES) return null;
    if (!allocated.every((size) => this.#isKnown(size, true))) return null;
    const hasContainers = this.#base !== null;
    if (!hasContainers && !computesFromSums(this.#loop.body)) return null;
    if (!ends.every((end) => this.#isKnown(end, false)) || this.#base === null) return null;
    return { base: this.#base, offset: this.#offset, extents: hasContainers ? EXTENTS : EXTENTS_OF_SUMS };
  }

  /** Whether no later iteration reads what the statement writes. */
  #writesOwn(statement: Statement): boolean {
    return writesOf(statement).every((variable) =>
      this.#uses.isLocalToBody(variable.kind === 'ref' ? rootOf(variable) : variable, this.#loop),
    );
  }

  #isKnown(e: Expr, isAllocated: boolean): boolean {
    const size = this.#sizeOf(e);
    if (size === null) return false;
    const { base, offset } = size;
    if (base === null) return true;
    if (this.#base !== null && !sameExpression(this.#base, base)) return false;
    if (isAllocated) this.#offset = this.#base === null ? offset : Math.max(this.#offset, offset);
    this.#base = base;
    return true;
  }

  /** The size as an offset from the number that it depends on; null if it depends on several numbers, or is not such a sum. */
  #sizeOf(e: Expr): Size | null {
    if (isConst(e)) return { base: null, offset: e.value };
    switch (e.kind) {
      case 'get': {
        const [site, ...others] = this.#uses.writes(e.local);
        if (site === undefined || !this.#uses.isWrittenIn(e.local, this.#loop)) return { base: e, offset: 0 };
        if (others.length > 0 || site.statement.kind !== 'assign') return null;
        return this.#sizeOf(site.statement.value) ?? { base: e, offset: 0 };
      }
      case 'size': {
        const [site, ...others] = this.#uses.definitions(e.ref);
        if (site === undefined) return { base: e, offset: 0 };
        const { statement } = site;
        if (others.length > 0 || (statement.kind !== 'allocate' && statement.kind !== 'view')) return null;
        return this.#sizeOf(statement.sizes[e.axis]);
      }
      case 'apply': {
        if (e.op !== 'add_int') return null;
        const [first, second] = e.args.map((argument) => this.#sizeOf(argument));
        if (first === null || second === null || (first.base !== null && second.base !== null)) return null;
        return { base: first.base ?? second.base, offset: first.offset + second.offset };
      }
      default:
        return null;
    }
  }
}

/** Statements that need containers in memory, or have side effects. */
const OTHER: ReadonlySet<Statement['kind']> = new Set([
  'kernel',
  'call',
  'while',
  'print',
  'exit',
  'labeled',
  'for_reverse',
]);
