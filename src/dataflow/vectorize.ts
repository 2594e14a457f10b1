import { append } from '../base/multimap.js';
import { isGetOf } from '../ir/expressions.js';
import { Interner } from '../ir/interned.js';
import type { Block, Expr, Local, Ref, Statement, StatementOf } from '../ir/nodes.js';
import { rootOf } from '../ir/refs.js';
import { incrementsOf, type Term } from '../ir/sums.js';
import { expressionsOf, operandsOf, someNode, visitExpression, visitOwnExpressions } from '../ir/walk.js';

/**
 * Determines whether a loop may run two iterations at a time. Iterations 2k and 2k + 1 then execute each statement together, so: - The body
 * is straight-line: assignments, stores, terms of `target`, checks and adjoints, without allocations. - A local that the body assigns is
 * either written before it is read in every iteration, or the body only adds to it. - Stores to a container and loads from it have the same
 * index, which increases by one per iteration. The same holds for adjoints that are read or overwritten. Adjoints to which the body only
 * adds may have any indexes, because additions commute. - A failed check leaves the loop. The scalar loop after it repeats the iteration
 * and fails at the right element. Therefore the loop must not overwrite values that a check reads.
 *
 * Containers with different roots do not overlap, except in called functions, where two parameters may be the same container.
 */
export interface VectorLoop {
  readonly index: Local;
  readonly body: Block;
  /** Locals that accumulate a sum over the iterations. */
  readonly sums: ReadonlySet<Local>;
  /** Locals of the body that each iteration sets before it reads them. */
  readonly temporaries: ReadonlySet<Local>;
  /** The temporaries whose value is read after the loop. */
  readonly liveOut: readonly Local[];
  readonly analysis: LoopAnalysis;
}

type ForLoop = StatementOf<'for' | 'for_reverse'>;

/** The plan for a loop, or null if it cannot be vectorized. `live` are the locals of the body that are read after the loop. */
export function vectorLoop(loop: ForLoop, live: ReadonlySet<Local>, mayAlias: boolean): VectorLoop | null {
  if (!isCandidate(loop)) return null;
  const roles = rolesOfLocals(loop.body, loop.index);
  if (roles === null) return null;
  const analysis = new LoopAnalysis(loop.index, loop.body, roles.temporaries, mayAlias);
  if (!analysis.isIndependent()) return null;
  const liveOut = [...roles.temporaries].filter((local) => live.has(local));
  if (loop.kind === 'for_reverse' && liveOut.length > 0) return null;
  return { index: loop.index, body: loop.body, ...roles, liveOut, analysis };
}

/** Whether the statement is a loop of straight-line code that may have more than a few iterations. Other loops are not vectorized. */
export function isCandidate(statement: Statement): statement is ForLoop {
  const isFor = statement.kind === 'for' || statement.kind === 'for_reverse';
  return isFor && statement.body.every(isStraight) && !hasFewIterations(statement);
}

function isStraight(statement: Statement): boolean {
  switch (statement.kind) {
    case 'assign':
      return statement.local.storage === 'local';
    case 'store':
    case 'target':
    case 'check':
    case 'add_adjoint':
    case 'set_adjoint':
      return true;
    default:
      return false;
  }
}

function hasFewIterations({ from, to }: ForLoop): boolean {
  return from.kind === 'const' && to.kind === 'const' && to.value - from.value < 4;
}

function rolesOfLocals(
  body: Block,
  index: Local,
): { readonly sums: ReadonlySet<Local>; readonly temporaries: ReadonlySet<Local> } | null {
  const temporaries = new Set<Local>();
  const early = new Set<Local>();
  for (const statement of body) {
    visitOwnExpressions(statement, (node) => {
      if (node.kind === 'get' && !temporaries.has(node.local)) early.add(node.local);
    });
    if (statement.kind === 'assign' && !early.has(statement.local)) temporaries.add(statement.local);
  }
  const sums = new Set<Local>();
  for (const statement of body) {
    if (statement.kind !== 'assign') continue;
    if (statement.local === index) return null;
    if (!temporaries.has(statement.local)) sums.add(statement.local);
  }
  for (const statement of body) if (!keepsSums(statement, sums)) return null;
  return { sums, temporaries };
}

/** Whether the statement mentions sums only as `s = s + …`. */
function keepsSums(statement: Statement, sums: ReadonlySet<Local>): boolean {
  if (statement.kind === 'assign' && sums.has(statement.local)) {
    const increments = incrementsOf(statement.value, isGetOf(statement.local));
    return (
      statement.local.type === 'real' && increments !== null && increments.every(({ value }) => readsNone(value, sums))
    );
  }
  return expressionsOf(statement).every((root) => readsNone(root, sums));
}

function readsNone(e: Expr, locals: ReadonlySet<Local>): boolean {
  return locals.size === 0 || !someNode(e, (node) => node.kind === 'get' && locals.has(node.local));
}

/** How an index depends on the loop. `unit`: the sum of the loop's index, the signed terms and the constant. */
export type Stride =
  | { readonly kind: 'invariant' }
  | { readonly kind: 'unit'; readonly terms: readonly Term[]; readonly constant: number }
  | { readonly kind: 'other' };

interface Affine {
  readonly coefficient: number;
  readonly terms: readonly Term[];
  readonly constant: number;
}

/** Maximum number of terms of an index. A sum of shared sums has one term per path to its leaves. */
const MOST_TERMS = 64;

interface Access {
  readonly ref: Ref;
  readonly index: Expr;
}

export class LoopAnalysis {
  readonly #index: Local;
  readonly #body: Block;
  readonly #assigned: ReadonlySet<Local>;
  readonly #mayAlias: boolean;
  /** The values of int locals that are assigned once. */
  readonly #definitions = new Map<Local, Expr>();
  readonly #stored = new Set<Ref>();
  readonly #adjointsWritten = new Set<Ref>();
  readonly #invariant = new Map<Expr, boolean>();
  readonly #affines = new Map<Expr, Affine | null>();
  #interner: Interner | null = null;

  constructor(index: Local, body: Block, temporaries: ReadonlySet<Local>, mayAlias: boolean) {
    this.#index = index;
    this.#body = body;
    this.#assigned = temporaries;
    this.#mayAlias = mayAlias;
    const twice = new Set<Local>();
    for (const statement of body) {
      if (statement.kind === 'assign' && statement.local.type === 'int') {
        if (this.#definitions.has(statement.local)) twice.add(statement.local);
        this.#definitions.set(statement.local, statement.value);
      }
      if (statement.kind === 'store') this.#stored.add(rootOf(statement.ref));
      if (statement.kind === 'add_adjoint' || statement.kind === 'set_adjoint') {
        this.#adjointsWritten.add(rootOf(statement.ref));
      }
    }
    for (const local of twice) this.#definitions.delete(local);
  }

  /** Whether the value is the same in every iteration. */
  isInvariant(e: Expr): boolean {
    const known = this.#invariant.get(e);
    if (known !== undefined) return known;
    const result = this.#isInvariantNode(e) && operandsOf(e).every((operand) => this.isInvariant(operand));
    this.#invariant.set(e, result);
    return result;
  }

  #isInvariantNode(e: Expr): boolean {
    switch (e.kind) {
      case 'get':
        return e.local !== this.#index && !this.#assigned.has(e.local);
      case 'load':
        return !this.#mayBeStored(e.ref);
      case 'load_adjoint':
        return this.#mayAlias ? this.#adjointsWritten.size === 0 : !this.#adjointsWritten.has(rootOf(e.ref));
      case 'target':
        return false;
      default:
        return true;
    }
  }

  #mayBeStored(ref: Ref): boolean {
    if (!this.#mayAlias) return this.#stored.has(rootOf(ref));
    return [...this.#stored].some((stored) => stored.element === ref.element);
  }

  strideOf(index: Expr): Stride {
    if (this.isInvariant(index)) return { kind: 'invariant' };
    const affine = this.#affine(index);
    if (affine === null || affine.coefficient !== 1) return { kind: 'other' };
    return { kind: 'unit', terms: affine.terms, constant: affine.constant };
  }

  #affine(e: Expr): Affine | null {
    const known = this.#affines.get(e);
    if (known !== undefined) return known;
    const affine = this.#affineOf(e);
    const result = affine === null || affine.terms.length > MOST_TERMS ? null : affine;
    this.#affines.set(e, result);
    return result;
  }

  #affineOf(e: Expr): Affine | null {
    if (e.kind === 'const') return { coefficient: 0, terms: [], constant: e.value };
    if (e.kind === 'get') {
      if (e.local === this.#index) return { coefficient: 1, terms: [], constant: 0 };
      const definition = this.#definitions.get(e.local);
      if (definition !== undefined) return this.#affine(definition);
    }
    if (e.kind === 'apply' && (e.op === 'add_int' || e.op === 'sub_int')) {
      const first = this.#affine(e.args[0]);
      const second = this.#affine(e.args[1]);
      if (first === null || second === null) return null;
      const sign = e.op === 'add_int' ? 1 : -1;
      return {
        coefficient: first.coefficient + sign * second.coefficient,
        terms: [...first.terms, ...second.terms.map((t) => (sign > 0 ? t : { ...t, negative: !t.negative }))],
        constant: first.constant + sign * second.constant,
      };
    }
    return this.isInvariant(e) ? { coefficient: 0, terms: [{ value: e, negative: false }], constant: 0 } : null;
  }

  /** A key that is equal for indexes that are equal in every iteration. */
  keyOf(index: Expr): string {
    const stride = this.strideOf(index);
    this.#interner ??= new Interner();
    const interner = this.#interner;
    if (stride.kind !== 'unit') return `e${interner.numberOf(index)}`;
    const terms = stride.terms
      .map(({ value, negative }) => `${negative ? '-' : '+'}${interner.numberOf(value)}`)
      .sort();
    return `i${stride.constant}${terms.join('')}`;
  }

  isIndependent(): boolean {
    const loads: Access[] = [];
    const adjointLoads: Access[] = [];
    let readsTarget = false;
    for (const statement of this.#body) {
      for (const root of expressionsOf(statement)) {
        visitExpression(root, (node) => {
          if (node.kind === 'load') loads.push(node);
          else if (node.kind === 'load_adjoint') adjointLoads.push(node);
          else if (node.kind === 'target') readsTarget = true;
        });
      }
    }
    if (readsTarget) return false;
    const stores = this.#body.filter((s) => s.kind === 'store');
    const checks = this.#body.some((s) => s.kind === 'check');
    const sets = this.#body.filter((s) => s.kind === 'set_adjoint');
    const adds = this.#body.filter((s) => s.kind === 'add_adjoint');
    return (
      this.#areSeparate(stores, loads, checks, false) &&
      this.#areSeparate(sets, [...adds, ...adjointLoads], checks, false) &&
      this.#areSeparate(adds, adjointLoads, checks, true)
    );
  }

  /** Whether no two iterations access the same element if one of them writes it, except for writes that commute. */
  #areSeparate(writes: readonly Access[], accesses: readonly Access[], checks: boolean, commute: boolean): boolean {
    if (writes.length === 0) return true;
    const others = this.#byMemory(accesses);
    for (const [memory, own] of this.#byMemory(writes)) {
      const met = others.get(memory) ?? [];
      if (met.length === 0 && (commute || own.length === 1)) continue;
      if (checks) return false;
      const [first] = own;
      const key = this.keyOf(first.index);
      if (this.strideOf(first.index).kind !== 'unit') return false;
      const isSame = ({ ref, index }: Access): boolean => ref === first.ref && this.keyOf(index) === key;
      if (!own.every(isSame) || !met.every(isSame)) return false;
    }
    return true;
  }

  /** The accesses, grouped by the memory that they may share. */
  #byMemory(accesses: readonly Access[]): ReadonlyMap<unknown, readonly Access[]> {
    const groups = new Map<unknown, Access[]>();
    for (const access of accesses) append(groups, this.#mayAlias ? access.ref.element : rootOf(access.ref), access);
    return groups;
  }
}
