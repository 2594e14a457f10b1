import { KERNELS } from '../functions/kernels.js';
import { Builder, type Names } from '../ir/builder.js';
import { add, compare, get, int, load, neg, ONE, sub, toReal, ZERO } from '../ir/expressions.js';
import type { Block, Expr, IrFunction, Local, Ref, Statement, StatementOf, Variable } from '../ir/nodes.js';
import { OPS } from '../ir/ops.js';
import { visitStatements } from '../ir/walk.js';
import { Activity } from '../optimize/activity.js';
import { type LoopStatement, rootOf, Uses } from '../optimize/effects.js';
import { sameExpr } from '../optimize/same.js';
import { activityKey, asLocal, clearedIn, type DifferentiatedCallee, isRealScalar, saveAcrossCall } from './callee.js';
import { localiseAdjoints } from './localise.js';
import { Needs } from './needs.js';
import { type Filling, overwritesContents } from './overwrites.js';
import { type Adjoints, propagate } from './propagate.js';
import { isRepeatable } from './repeat.js';

/**
 * Reverse-mode differentiation of the log density: one block that computes `target` and leaves its gradient in the
 * adjoints of the inputs.
 *
 * Each statement has a forward part and a reverse part. A statement is closed when nothing active that it writes
 * is seen outside and what it reads does not change afterwards; since the adjoint of `target` is the constant 1, its
 * reverse then runs right behind its forward part, and for a loop with closed rounds inside every round: no tape. What is not
 * closed is reversed after the rest of its block, in reverse order; values that the reverse reads and that have been
 * overwritten by then come back from the tape (to-be-recorded analysis: Hascoët, Naumann & Pascual 2005), or are
 * computed again where that is cheap.
 */
export function differentiate(
  names: Names,
  block: Block,
  inputs: readonly Variable[],
  keepJacobian: Local,
  functions: readonly IrFunction[] = [],
): { readonly gradient: Block; readonly functions: readonly IrFunction[] } {
  const callees = new Callees(names, functions, keepJacobian);
  const uses = new Uses(block);
  const activity = new Activity(block, inputs);
  const gradient = settle(uses, (known) => {
    const differentiator = new Differentiator(names, uses, activity, keepJacobian, callees, known);
    return { made: differentiator.whole(block), needs: differentiator.needs };
  });
  return { gradient, functions: callees.made };
}

/**
 * Differentiates until what the reverse parts read is what was known while they were made: saving a value may need
 * others (an element's index, the pointer of its container). Variables that differentiation makes do not count.
 */
function settle<T>(uses: Uses, differentiateWith: (known: Needs) => { readonly made: T; readonly needs: Needs }): T {
  const known = new Needs();
  for (;;) {
    const { made, needs } = differentiateWith(known);
    if (!known.addAll(needs, (variable) => uses.isMentioned(variable))) return made;
  }
}

/** The called functions, differentiated for each choice of active parameters that occurs. */
class Callees {
  readonly made: IrFunction[] = [];
  readonly #names: Names;
  readonly #functions: ReadonlyMap<number, IrFunction>;
  readonly #keepJacobian: Local;
  readonly #known = new Map<string, DifferentiatedCallee>();

  constructor(names: Names, functions: readonly IrFunction[], keepJacobian: Local) {
    this.#names = names;
    this.#functions = new Map(functions.map((f) => [f.id, f]));
    this.#keepJacobian = keepJacobian;
  }

  get(callee: number, active: readonly boolean[]): DifferentiatedCallee {
    const key = activityKey(callee, active);
    return this.#known.get(key) ?? this.#make(key, callee, active);
  }

  #make(key: string, callee: number, active: readonly boolean[]): DifferentiatedCallee {
    const original = this.#functions.get(callee);
    if (original === undefined) throw new Error(`differentiate: there is no function ${callee}`);
    const inputs = original.parameters.filter((_, k) => active[k]);
    const uses = new Uses(original.body, [...original.parameters, ...original.results]);
    const activity = new Activity(original.body, inputs, original.results);
    const builder = new Builder(this.#names);
    const adjoints = new Map<Local, Local>();
    const adjointOf = (local: Local): Local => {
      const adjoint = adjoints.get(local) ?? builder.newLocal('real', `${local.name}_adjoint`);
      adjoints.set(local, adjoint);
      return adjoint;
    };
    const results = original.results.filter(isRealScalar);
    const parameters = original.parameters.flatMap((parameter, k) => (active[k] && isRealScalar(parameter) ? [k] : []));
    const known: DifferentiatedCallee = {
      forward: this.#names.fresh(),
      reverse: this.#names.fresh(),
      results,
      parameters,
    };
    this.#known.set(key, known);
    const dual = settle(uses, (needs) => {
      const differentiator = new Differentiator(
        this.#names,
        uses,
        activity,
        this.#keepJacobian,
        this,
        needs,
        adjointOf,
      );
      const made = differentiator.callee(original.body, results.map(adjointOf), inputs.filter(isRealScalar));
      return { made, needs: differentiator.needs };
    });
    const needs = new Needs();
    needs.addBlock(dual.reverse);
    const { save, restore } = saveAcrossCall(original, dual.forward, needs);
    this.made.push(
      {
        ...original,
        id: known.forward,
        name: `${original.name}_forward`,
        body: [...dual.forward, ...save],
        cleared: clearedIn(original, needs),
      },
      {
        id: known.reverse,
        name: `${original.name}_reverse`,
        parameters: results.map(adjointOf),
        results: parameters.map((k) => adjointOf(asLocal(original.parameters[k]))),
        body: [...restore, ...dual.reverse],
      },
    );
    return known;
  }
}

interface Dual {
  readonly forward: readonly Statement[];
  readonly reverse: readonly Statement[];
}

/** What surrounds a statement: the closed statement that it will be reversed with, and the loops in between. */
interface Context {
  readonly region: Statement | null;
  readonly splitLoops: readonly LoopStatement[];
}

class Differentiator implements Adjoints {
  readonly activity: Activity;
  /** What the reverse parts read, collected while they are made. */
  readonly needs = new Needs();
  readonly #uses: Uses;
  readonly #known: Needs;
  readonly #builder: Builder;
  readonly #adjoints = new Map<Local, Local>();
  readonly #started = new Set<Local>();
  readonly #fillings = new Map<Ref, Filling>();
  readonly #callees: Callees;
  readonly #adjointOf: ((local: Local) => Local) | null;
  /** What terms of the Jacobian count. */
  #jacobianWeight: Expr;

  constructor(
    names: Names,
    uses: Uses,
    activity: Activity,
    keepJacobian: Local,
    callees: Callees,
    known: Needs,
    adjointOf: ((local: Local) => Local) | null = null,
  ) {
    this.#callees = callees;
    this.#adjointOf = adjointOf;
    this.#uses = uses;
    this.activity = activity;
    this.#known = known;
    this.#builder = new Builder(names);
    this.#jacobianWeight = toReal(compare('ne', get(keepJacobian), int(0)));
  }

  of(local: Local): Local {
    let adjoint = this.#adjoints.get(local);
    if (adjoint === undefined) {
      adjoint = this.#adjointOf?.(local) ?? this.#builder.newLocal('real', `${local.name}_adjoint`);
      this.#adjoints.set(local, adjoint);
    }
    return adjoint;
  }

  whole(block: Block): Block {
    const local = this.#builder.newLocal('real', 'jacobian_weight');
    const weight: Statement = { kind: 'assign', local, value: this.#jacobianWeight };
    this.#jacobianWeight = get(local);
    const { forward, reverse } = this.#block(block, { region: null, splitLoops: [] });
    return [weight, ...this.#startAdjoints([...forward, ...reverse], [...this.#adjoints.values()])];
  }

  /**
   * The two parts of a called function's body; `given` are the adjoints that the reverse starts with, those of `inputs` what it
   * gives.
   */
  callee(block: Block, given: readonly Local[], inputs: readonly Local[]): Dual {
    const { forward, reverse } = this.#block(block, { region: null, splitLoops: [] });
    const unread = inputs.filter((input) => !this.#adjoints.has(input)).map((input) => this.of(input));
    const others = [...this.#adjoints.values()].filter((adjoint) => !given.includes(adjoint));
    const started = this.#startAdjoints(reverse, others);
    return {
      forward,
      reverse: [...unread.map((local): Statement => ({ kind: 'assign', local, value: ZERO })), ...started],
    };
  }

  /** Adjoints that live inside these statements start with their first contribution, if no statement inside starts them. */
  #startAdjoints(statements: Block, adjoints: Iterable<Local>): Block {
    const fresh = new Set([...adjoints].filter((adjoint) => !this.#started.has(adjoint)));
    for (const adjoint of fresh) this.#started.add(adjoint);
    return localiseAdjoints(statements, fresh);
  }

  #block(block: Block, context: Context): Dual {
    const forward: Statement[] = [];
    const repeated: Statement[] = [];
    const chunks: (readonly Statement[])[] = [];
    for (const statement of block) {
      if (this.#isClosed(statement, context)) {
        const { forward: run, reverse } = this.#statement(statement, { region: statement, splitLoops: [] }, true);
        forward.push(...this.#inArena(statement, [...run, ...reverse]));
      } else {
        const dual = this.#statement(statement, context, false);
        forward.push(...dual.forward);
        if (dual.repeat) repeated.push(statement);
        else if (dual.reverse.length > 0) chunks.push(dual.reverse);
      }
    }
    const reverse = chunks.reverse().flat();
    return { forward, reverse: reverse.length > 0 ? [...repeated, ...reverse] : [] };
  }

  #statement(statement: Statement, context: Context, closed: boolean): Dual & { readonly repeat?: boolean } {
    switch (statement.kind) {
      case 'assign':
        return this.#assign(statement, context);
      case 'store':
        return this.#store(statement, context);
      case 'allocate':
      case 'view':
        return this.#define(statement, context);
      case 'target':
        return {
          forward: [statement],
          reverse: this.#reverse(() =>
            propagate(this.#builder, this, statement.value, statement.term === 'jacobian' ? this.#jacobianWeight : ONE),
          ),
        };
      case 'kernel':
        return this.#kernel(statement, context);
      case 'call':
        return this.#call(statement, context);
      case 'for':
        return closed && this.#hasClosedRounds(statement)
          ? { forward: [this.#closedLoop(statement)], reverse: [] }
          : this.#for(statement, context);
      case 'while':
        return closed && this.#hasClosedRounds(statement)
          ? { forward: [this.#closedLoop(statement)], reverse: [] }
          : this.#while(statement, context);
      case 'if':
        return this.#if(statement, context);
      case 'check':
      case 'print':
      case 'reject':
        return { forward: [statement], reverse: [] };
      default:
        throw new Error(`differentiate: '${statement.kind}' must have been removed by an earlier pass`);
    }
  }

  /** Emits reverse statements and notes what they read. */
  #reverse(write: () => void): Block {
    const statements = this.#builder.capture(write);
    this.needs.addBlock(statements);
    return statements;
  }

  #assign(statement: StatementOf<'assign'>, context: Context): Dual & { readonly repeat?: boolean } {
    const { local, value } = statement;
    const active = this.activity.isActive(local);
    const saved = this.#mustSave(local, statement, context);
    if (saved && !active && isRepeatable(statement, this.#uses, context.splitLoops)) {
      this.needs.addBlock([statement]);
      return { forward: [statement], reverse: [], repeat: true };
    }
    const forward: Statement[] = saved ? [{ kind: 'push', value: get(local) }, statement] : [statement];
    const restore: Statement[] = saved ? [{ kind: 'pop', local }] : [];
    if (!active) return { forward, reverse: restore };
    const increment = incrementOf(value, (e) => e.kind === 'get' && e.local === local);
    const reverse = this.#reverse(() => {
      const adjoint = this.of(local);
      let weight = get(adjoint);
      if (increment === null) {
        weight = this.#builder.bind(weight, 'w');
        this.#builder.assign(adjoint, ZERO);
      }
      const costly = value.kind === 'apply' && OPS[value.op].wasm.kind === 'kernel';
      const result = costly && saved ? this.#builder.bind(get(local), 'value') : get(local);
      for (const s of restore) this.#builder.emit(s);
      if (increment === null) propagate(this.#builder, this, value, weight, costly ? () => result : null);
      else if (increment.expr !== null) {
        propagate(this.#builder, this, increment.expr, increment.negative ? neg(weight) : weight);
      }
    });
    return { forward, reverse };
  }

  #store(statement: StatementOf<'store'>, context: Context): Dual {
    const { ref, index, value } = statement;
    const root = rootOf(ref);
    const active = this.activity.isActive(root);
    const overwrites = this.#overwrites(statement, root, context);
    const saved = this.#isNeededContents(root) && overwrites;
    const forward: Statement[] = saved ? [{ kind: 'push', value: load(ref, index) }, statement] : [statement];
    if (!active && !saved) return { forward, reverse: [] };
    const increment = active
      ? incrementOf(value, (e) => e.kind === 'load' && e.ref === ref && sameExpr(e.index, index))
      : null;
    const reverse = this.#reverse(() => {
      const place = index.kind === 'const' || index.kind === 'get' ? index : this.#builder.bind(index, 'k');
      let weight: Expr = ZERO;
      if (active) {
        weight = this.#builder.bind({ kind: 'load_adjoint', type: 'real', ref, index: place }, 'w');
        if (increment === null && overwrites) {
          this.#builder.emit({ kind: 'set_adjoint', ref, index: place, value: ZERO });
        }
      }
      if (saved) {
        const old = this.#builder.newLocal(ref.element, 'old');
        this.#builder.emit({ kind: 'pop', local: old });
        this.#builder.store(ref, place, get(old));
      }
      if (!active) return;
      if (increment === null) propagate(this.#builder, this, value, weight);
      else if (increment.expr !== null) {
        propagate(this.#builder, this, increment.expr, increment.negative ? neg(weight) : weight);
      }
    });
    return { forward, reverse };
  }

  #define(statement: StatementOf<'allocate' | 'view'>, context: Context): Dual {
    const { ref } = statement;
    const sites = this.#within(this.#uses.definitions(ref), context.region);
    const saved = this.#isNeededHeader(ref) && (context.splitLoops.length > 0 || sites.length > 1);
    if (!saved) return { forward: [statement], reverse: [] };
    return { forward: [{ kind: 'push_ref', ref }, statement], reverse: [{ kind: 'pop_ref', ref }] };
  }

  #kernel(statement: StatementOf<'kernel'>, context: Context): Dual {
    const row = KERNELS.get(statement.name);
    const saves: Statement[] = [];
    const restores: Statement[] = [];
    if (statement.result !== null && this.#mustSave(statement.result, statement, context)) {
      saves.push({ kind: 'push', value: get(statement.result) });
      restores.push({ kind: 'pop', local: statement.result });
    }
    const forward = [...saves, statement];
    const active = statement.args.map(
      (argument) =>
        argument.kind === 'pointer' && argument.ref.element === 'real' && this.activity.isActive(argument.ref),
    );
    if (row === undefined || !row.outputs.some((k) => active[k]) || row.adjoint === null) {
      return { forward, reverse: restores };
    }
    const { adjoint } = row;
    for (const k of row.outputs) {
      const argument = statement.args[k];
      if (argument.kind !== 'pointer') continue;
      const root = rootOf(argument.ref);
      if (this.#isNeededContents(root) && this.#overwrites(statement, root, context)) {
        throw new Error(`differentiate: kernel ${statement.name} overwrites ${argument.ref.name}`);
      }
    }
    const reverse = this.#reverse(() => {
      for (const s of restores) this.#builder.emit(s);
      adjoint(this.#builder, statement.args, active);
    });
    return { forward, reverse };
  }

  #call(statement: StatementOf<'call'>, context: Context): Dual {
    const saves: Statement[] = [];
    const restores: Statement[] = [];
    for (const result of statement.results) {
      if (result.kind === 'local') {
        if (!this.#mustSave(result, statement, context)) continue;
        saves.push({ kind: 'push', value: get(result) });
        restores.unshift({ kind: 'pop', local: result });
      } else if (this.#isNeededHeader(result) && context.splitLoops.length > 0) {
        saves.push({ kind: 'push_ref', ref: result });
        restores.unshift({ kind: 'pop_ref', ref: result });
      }
    }
    const active = statement.args.map((argument) =>
      argument.kind === 'ref'
        ? argument.element === 'real' && this.activity.isActive(argument)
        : this.activity.isActiveExpr(argument),
    );
    if (!active.some(Boolean) || !statement.results.some((result) => this.activity.isActive(result))) {
      return { forward: [...saves, statement], reverse: restores };
    }
    const callee = this.#callees.get(statement.callee, active);
    // The callee's reverse finds containers where they lay; their elements must be what they were.
    for (const passed of [...statement.args, ...statement.results]) {
      if (passed.kind === 'ref') this.needs.contents.add(rootOf(passed));
    }
    const reverse = this.#reverse(() => {
      const weights = statement.results.filter(isRealScalar).map((result) => {
        const adjoint = this.of(result);
        const weight = this.#builder.bind(get(adjoint), 'w');
        this.#builder.assign(adjoint, ZERO);
        return weight;
      });
      const contributions = callee.parameters.map(() => this.#builder.newLocal('real', 'contribution'));
      this.#builder.emit({ kind: 'call', callee: callee.reverse, args: weights, results: contributions });
      for (const s of restores) this.#builder.emit(s);
      for (const [k, position] of callee.parameters.entries()) {
        const argument = statement.args[position];
        if (argument.kind !== 'ref') propagate(this.#builder, this, argument, get(contributions[k]));
      }
    });
    return { forward: [...saves, { ...statement, callee: callee.forward }], reverse };
  }

  #closedLoop(loop: StatementOf<'for' | 'while'>): Statement {
    const { forward, reverse } = this.#block(loop.body, { region: loop, splitLoops: [] });
    const round = this.#startAdjoints([...forward, ...reverse], this.#adjointsLocalTo(loop));
    return { ...loop, body: this.#roundInArena(loop, round) };
  }

  #adjointsLocalTo(loop: LoopStatement): Set<Local> {
    const local = new Set<Local>();
    for (const variable of this.#uses.mentioned(loop)) {
      const adjoint = variable.kind === 'local' ? this.#adjoints.get(variable) : undefined;
      if (adjoint !== undefined && this.#uses.isLocalToBody(variable, loop)) local.add(adjoint);
    }
    return local;
  }

  #for(loop: StatementOf<'for'>, context: Context): Dual {
    const body = this.#block(loop.body, { region: context.region, splitLoops: [...context.splitLoops, loop] });
    if (body.reverse.length === 0) {
      return { forward: [{ ...loop, body: this.#roundInArena(loop, body.forward) }], reverse: [] };
    }
    const from = this.#keepForReverse(loop.from, 'from', context);
    const to = this.#keepForReverse(loop.to, 'to', context);
    return {
      forward: [...from.forward, ...to.forward, { ...loop, from: from.value, to: to.value, body: body.forward }],
      reverse: [
        {
          kind: 'for_reverse',
          index: loop.index,
          from: from.value,
          to: to.value,
          body: this.#startAdjoints(body.reverse, this.#adjointsLocalTo(loop)),
          parallel: loop.parallel,
        },
        ...to.reverse,
        ...from.reverse,
      ],
    };
  }

  #while(loop: StatementOf<'while'>, context: Context): Dual {
    const body = this.#block(loop.body, { region: context.region, splitLoops: [...context.splitLoops, loop] });
    if (body.reverse.length === 0) {
      return { forward: [{ ...loop, body: this.#roundInArena(loop, body.forward) }], reverse: [] };
    }
    const rounds = this.#builder.newLocal('int', 'rounds');
    const nested = context.splitLoops.length > 0;
    return {
      forward: [
        ...(nested ? [{ kind: 'push', value: get(rounds) } satisfies Statement] : []),
        { kind: 'assign', local: rounds, value: int(0) },
        {
          ...loop,
          body: [{ kind: 'assign', local: rounds, value: add(get(rounds), int(1)) }, ...body.forward],
        },
      ],
      reverse: [
        {
          kind: 'for_reverse',
          index: this.#builder.newLocal('int', 'round'),
          from: int(0),
          to: get(rounds),
          body: body.reverse,
          parallel: false,
        },
        ...(nested ? [{ kind: 'pop', local: rounds } satisfies Statement] : []),
      ],
    };
  }

  #if(statement: StatementOf<'if'>, context: Context): Dual {
    const then = this.#block(statement.then, context);
    const otherwise = this.#block(statement.otherwise, context);
    if (then.reverse.length === 0 && otherwise.reverse.length === 0) {
      return { forward: [{ ...statement, then: then.forward, otherwise: otherwise.forward }], reverse: [] };
    }
    const condition = this.#keepForReverse(statement.condition, 'taken', context);
    return {
      forward: [
        ...condition.forward,
        { kind: 'if', condition: condition.value, then: then.forward, otherwise: otherwise.forward },
      ],
      reverse: [
        { kind: 'if', condition: condition.value, then: then.reverse, otherwise: otherwise.reverse },
        ...condition.reverse,
      ],
    };
  }

  /** A value computed in the forward part and read again in the reverse: in a local, saved on the tape inside split loops. */
  #keepForReverse(value: Expr, name: string, context: Context): { forward: Block; reverse: Block; value: Expr } {
    if (value.kind === 'const') return { forward: [], reverse: [], value };
    const local = this.#builder.newLocal(value.type, name);
    const assign: Statement = { kind: 'assign', local, value };
    if (context.splitLoops.length === 0) return { forward: [assign], reverse: [], value: get(local) };
    return {
      forward: [{ kind: 'push', value: get(local) }, assign],
      reverse: [{ kind: 'pop', local }],
      value: get(local),
    };
  }

  #overwrites(statement: Statement, root: Ref, { region }: Context): boolean {
    return overwritesContents(statement, root, this.#uses, region, this.#fillings);
  }

  #isNeededContents(root: Ref): boolean {
    return this.#known.contents.has(root);
  }

  #isNeededHeader(ref: Ref): boolean {
    return this.#known.headers.has(ref);
  }

  #isNeeded(variable: Variable): boolean {
    return variable.kind === 'local'
      ? this.#known.locals.has(variable)
      : this.#known.contents.has(variable) || this.#known.headers.has(variable);
  }

  #within<T extends { readonly position: number }>(sites: readonly T[], region: Statement | null): readonly T[] {
    return region === null ? sites : sites.filter((site) => this.#uses.contains(region, site.position));
  }

  /** Whether the old value of a scalar may be read by a reverse part that runs after this write's own. */
  #mustSave(local: Local, statement: Statement, context: Context): boolean {
    if (!this.#isNeeded(local)) return false;
    if (context.splitLoops.length > 0) return true;
    const { first, count } = this.#uses.writesIn(local, context.region);
    return count > 1 && first?.statement !== statement;
  }

  #isClosed(statement: Statement, context: Context): boolean {
    for (const variable of this.#uses.mentioned(statement)) {
      if (this.#uses.isLocalTo(variable, statement)) continue;
      const key = variable.kind === 'ref' ? rootOf(variable) : variable;
      // In a called function the adjoints of scalars are parameters and results of its reverse alone.
      if (this.#adjointOf !== null && variable.kind === 'local' && this.activity.isActive(variable)) return false;
      if (this.#uses.isChangedIn(variable, statement)) {
        if (this.activity.isActive(key) || this.#isNeeded(variable)) return false;
      } else if (this.activity.isActive(key) && !this.#isStableAfter(key, statement, context)) return false;
    }
    return true;
  }

  /** Whether contributions to the variable's adjoint made now are still those of the value that its last write gave. */
  #isStableAfter(variable: Variable, statement: Statement, context: Context): boolean {
    const last = this.#uses.writes(variable).at(-1);
    if (last === undefined) return true;
    if (last.position > this.#uses.position(statement)) return false;
    return this.#uses
      .loops(statement)
      .every(
        (loop) =>
          !this.#uses.isWrittenIn(variable, loop) ||
          (!context.splitLoops.includes(loop) && this.#uses.isLocalTo(variable, loop)),
      );
  }

  /** Whether each round of a closed loop is closed by itself, so that it can be reversed before the next one. */
  #hasClosedRounds(loop: StatementOf<'for' | 'while'>): boolean {
    for (const variable of this.#uses.mentioned(loop)) {
      if (this.#uses.isLocalToBody(variable, loop) || !this.#uses.isChangedInBody(variable, loop)) continue;
      const key = variable.kind === 'ref' ? rootOf(variable) : variable;
      if (this.activity.isActive(key) || this.#isNeeded(variable)) return false;
    }
    return true;
  }

  /** Gives the memory taken by `original` back after `statements`, where nothing outside refers to it. */
  #inArena(original: Statement, statements: Block): Block {
    return isConfined([original], (ref) => this.#uses.isLocalTo(ref, original))
      ? [{ kind: 'arena', body: statements }]
      : statements;
  }

  /** Gives the memory taken in a round back at its end, where nothing outside refers to it. */
  #roundInArena(loop: LoopStatement, round: Block): Block {
    return isConfined(loop.body, (ref) => this.#uses.isLocalToBody(ref, loop))
      ? [{ kind: 'arena', body: round }]
      : round;
  }
}

/** Whether the block takes memory, and all of it is local in the sense given. */
function isConfined(block: Block, isLocal: (ref: Ref) => boolean): boolean {
  let allocates = false;
  let confined = true;
  visitStatements(block, (statement) => {
    if (statement.kind === 'allocate') {
      allocates = true;
      confined &&= isLocal(statement.ref);
    } else if (statement.kind === 'call') {
      allocates = true;
      for (const result of statement.results) if (result.kind === 'ref') confined &&= isLocal(result);
    }
  });
  return allocates && confined;
}

/** For `place + e`, `e + place` and `place - e`, where `e` does not read the place: what is added. Null otherwise. */
function incrementOf(
  value: Expr,
  isPlace: (e: Expr) => boolean,
): { readonly expr: Expr | null; readonly negative: boolean } | null {
  if (isPlace(value)) return { expr: null, negative: false };
  if (value.kind !== 'apply' || (value.op !== 'add' && value.op !== 'sub')) return null;
  const [left, right] = value.args;
  if (isPlace(left) && !reads(right, isPlace)) return { expr: right, negative: value.op === 'sub' };
  if (value.op === 'add') {
    if (isPlace(right) && !reads(left, isPlace)) return { expr: left, negative: false };
    // (place + a) + b
    const inner = incrementOf(left, isPlace);
    if (inner !== null && inner.expr !== null && !inner.negative && !reads(right, isPlace)) {
      return { expr: add(inner.expr, right), negative: false };
    }
    return null;
  }
  const inner = incrementOf(left, isPlace);
  if (inner !== null && inner.expr !== null && !inner.negative && !reads(right, isPlace)) {
    return { expr: sub(inner.expr, right), negative: false };
  }
  return null;
}

/** Whether the expression reads the place, or may: any load of a container counts where the place is one. */
function reads(e: Expr, isPlace: (e: Expr) => boolean, seen = new Set<Expr>()): boolean {
  if (seen.has(e)) return false;
  seen.add(e);
  if (isPlace(e)) return true;
  if (e.kind === 'apply') return e.args.some((argument) => reads(argument, isPlace, seen));
  if (e.kind === 'load') return reads(e.index, isPlace, seen);
  return false;
}
