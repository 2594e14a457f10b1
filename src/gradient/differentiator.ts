import type { Activity } from '../dataflow/activity.js';
import { type LoopStatement, mentionsOf } from '../dataflow/effects.js';
import { Memory } from '../dataflow/memory.js';
import type { Uses } from '../dataflow/uses.js';
import { KERNELS } from '../functions/kernels.js';
import { Builder, type Names } from '../ir/builder.js';
import { add, compare, get, int, isGetOf, load, neg, ONE, toReal, ZERO } from '../ir/expressions.js';
import { sameExpression } from '../ir/interned.js';
import type { Block, Expr, Local, Statement, StatementOf, Variable } from '../ir/nodes.js';
import { isExpensive, isKernelCall } from '../ir/ops.js';
import { rootOf } from '../ir/refs.js';
import { copyOf, withBody, withBranches } from '../ir/remake.js';
import { incrementsOf, type Term } from '../ir/sums.js';
import { definedRefs, visitExpression, visitStatements } from '../ir/walk.js';
import { type DifferentiatedCallees, isRealScalar } from './callee.js';
import { localizeAdjoints } from './localize.js';
import { Needs } from './needs.js';
import { type Adjoints, propagate } from './propagate.js';
import { type Context, Regions } from './regions.js';
import { isRepeatable } from './repeat.js';

/** The forward and the reverse part of statements; the reverse part starts with the last statement. */
export interface Dual {
  readonly forward: readonly Statement[];
  readonly reverse: readonly Statement[];
}

/** Differentiates the body of the program or of a called function. */
export class Differentiator implements Adjoints {
  readonly activity: Activity;
  /** What the reverse parts read, collected while they are written. */
  readonly needs = new Needs();
  readonly #uses: Uses;
  readonly #regions: Regions;
  readonly #builder: Builder;
  readonly #adjoints = new Map<Local, Local>();
  /** For each block, the adjoints that start in it with their first contribution. */
  readonly #homes = new Map<Block, readonly Local[]>();
  /** The enclosing loops that are reversed within each iteration, outermost first, and the adjoints that may start in an iteration of each. */
  readonly #loops: LoopStatement[] = [];
  readonly #starting: Local[][] = [];
  /** Adjoints that do not start in any iteration. */
  readonly #lasting: Local[] = [];
  readonly #memory: Memory;
  readonly #differentiated: DifferentiatedCallees;
  readonly #adjointOf: ((local: Local) => Local) | null;
  /** The weight of the Jacobian's terms. */
  #jacobianWeight: Expr;

  constructor(
    names: Names,
    uses: Uses,
    activity: Activity,
    keepJacobian: Local,
    differentiated: DifferentiatedCallees,
    known: Needs,
    adjointOf: ((local: Local) => Local) | null = null,
  ) {
    this.#differentiated = differentiated;
    this.#adjointOf = adjointOf;
    this.#uses = uses;
    this.#memory = new Memory(() => uses);
    this.activity = activity;
    this.#regions = new Regions(uses, activity, known, adjointOf !== null);
    this.#builder = new Builder(names);
    this.#jacobianWeight = toReal(compare('ne', get(keepJacobian), int(0)));
  }

  /** What the reverse parts are assumed not to read. */
  get presumed(): Needs {
    return this.#regions.presumed;
  }

  of(local: Local): Local {
    let adjoint = this.#adjoints.get(local);
    if (adjoint === undefined) {
      adjoint = this.#adjointOf?.(local) ?? this.#builder.newLocal('real', `${local.name}_adjoint`);
      this.#adjoints.set(local, adjoint);
      const home = this.#uses.loopsWithLocal(local, this.#loops);
      (this.#starting[home - 1] ?? this.#lasting).push(adjoint);
    }
    return adjoint;
  }

  whole(block: Block): Block {
    const local = this.#builder.newLocal('real', 'jacobian_weight');
    const weight: Statement = { kind: 'assign', local, value: this.#jacobianWeight };
    this.#jacobianWeight = get(local);
    const { forward, reverse } = this.#block(block, { region: null, splitLoops: [] });
    const statements = [...forward, ...reverse];
    this.#homes.set(statements, this.#lasting);
    return [weight, ...localizeAdjoints(statements, this.#homes)];
  }

  /** The two parts of a called function's body. `given` contains the adjoints that the reverse starts with; it returns those of `inputs`. */
  callee(block: Block, given: readonly Local[], inputs: readonly Local[]): Dual {
    const { forward, reverse } = this.#block(block, { region: null, splitLoops: [] });
    const unread = inputs.filter((input) => !this.#adjoints.has(input)).map((input) => this.of(input));
    const apart = new Set(given);
    this.#homes.set(
      reverse,
      this.#lasting.filter((adjoint) => !apart.has(adjoint)),
    );
    const started = localizeAdjoints(reverse, this.#homes);
    return {
      forward: localizeAdjoints(forward, this.#homes),
      reverse: [...unread.map((local): Statement => ({ kind: 'assign', local, value: ZERO })), ...started],
    };
  }

  #block(block: Block, context: Context): Dual {
    const forward: Statement[] = [];
    const repeated: Statement[] = [];
    const chunks: (readonly Statement[])[] = [];
    for (const statement of block) {
      if (this.#regions.isClosed(statement, context)) {
        const { forward: run, reverse } = this.#statement(statement, { region: statement, splitLoops: [] }, true);
        forward.push(...this.#inArena(statement, [...run, ...reverse]));
      } else {
        const dual = this.#statement(statement, context, false);
        forward.push(...dual.forward);
        if (dual.repeat) repeated.push(copyOf(statement));
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
        return closed && this.#regions.hasClosedIterations(statement)
          ? { forward: [this.#closedLoop(statement)], reverse: [] }
          : this.#for(statement, context);
      case 'while':
        return closed && this.#regions.hasClosedIterations(statement)
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

  /** Emits reverse statements and records what they read. */
  #reverse(write: () => void): Block {
    const statements = this.#builder.capture(write);
    this.needs.addBlock(statements);
    return statements;
  }

  #assign(statement: StatementOf<'assign'>, context: Context): Dual & { readonly repeat?: boolean } {
    const { local, value } = statement;
    const active = this.activity.isActive(local);
    const saved = this.#regions.mustSave(local, statement, context);
    if (saved && !active && isRepeatable(statement, this.#uses, context.splitLoops)) {
      this.needs.addBlock([statement]);
      return { forward: [statement], reverse: [], repeat: true };
    }
    const forward: Statement[] = saved ? [{ kind: 'push', value: get(local) }, statement] : [statement];
    const restore: Statement[] = saved ? [{ kind: 'pop', local }] : [];
    if (!active) return { forward, reverse: restore };
    const increments = incrementsOf(value, isGetOf(local));
    const reverse = this.#reverse(() => {
      const adjoint = this.of(local);
      let weight = get(adjoint);
      if (increments === null) {
        weight = this.#builder.bind(weight, 'w');
        this.#builder.assign(adjoint, ZERO);
      }
      // A local that is saved still has the value when its reverse part runs.
      const costly = isKernelCall(value) || (saved && isExpensive(value));
      const result = costly && saved ? this.#builder.bind(get(local), 'value') : get(local);
      for (const s of restore) this.#builder.emit(s);
      if (increments === null) propagate(this.#builder, this, value, weight, costly ? () => result : null);
      else this.#propagateTerms(increments, weight);
    });
    return { forward, reverse };
  }

  #store(statement: StatementOf<'store'>, context: Context): Dual {
    const { ref, index, value } = statement;
    const root = rootOf(ref);
    const active = this.activity.isActive(root);
    const overwrites = this.#regions.overwrites(statement, root, context);
    const saved = this.#regions.isNeededContents(root) && overwrites;
    const forward: Statement[] = saved ? [{ kind: 'push', value: load(ref, index) }, statement] : [statement];
    if (!active && !saved) return { forward, reverse: [] };
    const increments = active
      ? incrementsOf(value, (e) => e.kind === 'load' && e.ref === ref && sameExpression(e.index, index))
      : null;
    const reverse = this.#reverse(() => {
      const place = index.kind === 'const' || index.kind === 'get' ? index : this.#builder.bind(index, 'k');
      let weight: Expr = ZERO;
      if (active) {
        weight = this.#builder.bind({ kind: 'load_adjoint', type: 'real', ref, index: place }, 'w');
        if (increments === null && overwrites) {
          this.#builder.emit({ kind: 'set_adjoint', ref, index: place, value: ZERO });
        }
      }
      if (saved) {
        const old = this.#builder.newLocal(ref.element, 'old');
        this.#builder.emit({ kind: 'pop', local: old });
        this.#builder.store(ref, place, get(old));
      }
      if (!active) return;
      if (increments === null) propagate(this.#builder, this, value, weight);
      else this.#propagateTerms(increments, weight);
    });
    return { forward, reverse };
  }

  #propagateTerms(terms: readonly Term[], weight: Expr): void {
    for (const { value, negative } of terms) propagate(this.#builder, this, value, negative ? neg(weight) : weight);
  }

  #define(statement: StatementOf<'allocate' | 'view'>, context: Context): Dual {
    const { ref } = statement;
    if (!this.#regions.mustSaveHeader(ref, context)) return { forward: [statement], reverse: [] };
    return { forward: [{ kind: 'push_ref', ref }, statement], reverse: [{ kind: 'pop_ref', ref }] };
  }

  #kernel(statement: StatementOf<'kernel'>, context: Context): Dual {
    const row = KERNELS.get(statement.name);
    const saves: Statement[] = [];
    const restores: Statement[] = [];
    if (statement.result !== null && this.#regions.mustSave(statement.result, statement, context)) {
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
      if (this.#regions.isNeededContents(root) && this.#regions.overwrites(statement, root, context)) {
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
        if (!this.#regions.mustSave(result, statement, context)) continue;
        saves.push({ kind: 'push', value: get(result) });
        restores.unshift({ kind: 'pop', local: result });
      } else if (this.#regions.isNeededHeader(result) && context.splitLoops.length > 0) {
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
    const callee = this.#differentiated(statement.callee, active);
    // The callee's reverse reads containers in place, so their elements must be unchanged.
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
    const { made, starting } = this.#inIterations(loop, () => this.#block(loop.body, { region: loop, splitLoops: [] }));
    const iteration = [...made.forward, ...made.reverse];
    this.#homes.set(iteration, starting);
    return withBody(loop, this.#iterationInArena(loop, iteration));
  }

  /** Differentiates a loop's body; also returns the adjoints that are local to one iteration. */
  #inIterations(loop: LoopStatement, differentiate: () => Dual): { made: Dual; starting: readonly Local[] } {
    const starting: Local[] = [];
    this.#loops.push(loop);
    this.#starting.push(starting);
    const made = differentiate();
    this.#loops.pop();
    this.#starting.pop();
    return { made, starting };
  }

  #for(loop: StatementOf<'for'>, context: Context): Dual {
    const { made: body, starting } = this.#inIterations(loop, () =>
      this.#block(loop.body, { region: context.region, splitLoops: [...context.splitLoops, loop] }),
    );
    if (body.reverse.length === 0) {
      (this.#starting.at(-1) ?? this.#lasting).push(...starting);
      return { forward: [withBody(loop, this.#iterationInArena(loop, body.forward))], reverse: [] };
    }
    this.#homes.set(body.reverse, starting);
    const from = this.#keepForReverse(loop.from, 'from', context, loop);
    const to = this.#keepForReverse(loop.to, 'to', context, loop);
    return {
      forward: [
        ...from.forward,
        ...to.forward,
        { kind: 'for', index: loop.index, from: from.value, to: to.value, body: body.forward },
      ],
      reverse: [
        {
          kind: 'for_reverse',
          index: loop.index,
          from: from.value,
          to: to.value,
          body: body.reverse,
        },
        ...to.reverse,
        ...from.reverse,
      ],
    };
  }

  #while(loop: StatementOf<'while'>, context: Context): Dual {
    const body = this.#block(loop.body, { region: context.region, splitLoops: [...context.splitLoops, loop] });
    if (body.reverse.length === 0) {
      return { forward: [withBody(loop, this.#iterationInArena(loop, body.forward))], reverse: [] };
    }
    const iterations = this.#builder.newLocal('int', 'iterations');
    const nested = context.splitLoops.length > 0;
    // Trial steps of a solver: their reverse restores locals and reads no container of the iteration.
    const isConfined = this.#memory.isConfinedToBody(loop) && !needsMemoryOf(loop.body, body.reverse);
    const run: Block = isConfined ? [{ kind: 'arena', body: body.forward }] : body.forward;
    return {
      forward: [
        ...(nested ? [{ kind: 'push', value: get(iterations) } satisfies Statement] : []),
        { kind: 'assign', local: iterations, value: int(0) },
        withBody(loop, [{ kind: 'assign', local: iterations, value: add(get(iterations), int(1)) }, ...run]),
      ],
      reverse: [
        {
          kind: 'for_reverse',
          index: this.#builder.newLocal('int', 'iteration'),
          from: int(0),
          to: get(iterations),
          body: body.reverse,
        },
        ...(nested ? [{ kind: 'pop', local: iterations } satisfies Statement] : []),
      ],
    };
  }

  #if(statement: StatementOf<'if'>, context: Context): Dual {
    const then = this.#block(statement.then, context);
    const otherwise = this.#block(statement.otherwise, context);
    if (then.reverse.length === 0 && otherwise.reverse.length === 0) {
      return { forward: [withBranches(statement, then.forward, otherwise.forward)], reverse: [] };
    }
    const condition = this.#keepForReverse(statement.condition, 'taken', context, statement);
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

  /** A value that the forward part computes and the reverse part reads: in a local, which is saved on the tape inside split loops. */
  #keepForReverse(
    value: Expr,
    name: string,
    context: Context,
    statement: Statement,
  ): { forward: Block; reverse: Block; value: Expr } {
    if (value.kind === 'const' || this.#isSameInReverse(value, context, statement)) {
      this.needs.addExpression(value);
      return { forward: [], reverse: [], value };
    }
    const local = this.#builder.newLocal(value.type, name);
    const assign: Statement = { kind: 'assign', local, value };
    if (context.splitLoops.length === 0) return { forward: [assign], reverse: [], value: get(local) };
    return {
      forward: [{ kind: 'push', value: get(local) }, assign],
      reverse: [{ kind: 'pop', local }],
      value: get(local),
    };
  }

  /**
   * Whether the reverse part of a statement may evaluate the expression again: it is a sum of ints that the statement does not change and
   * that are written once per iteration, so that one restored value serves all statements that read it.
   */
  #isSameInReverse(value: Expr, { splitLoops }: Context, statement: Statement): boolean {
    let isSame = true;
    visitExpression(value, (node) => {
      if (node.kind === 'const') return;
      if (node.kind === 'get' && node.type === 'int') {
        const sites = this.#uses.writes(node.local);
        const isOnce = sites.every(({ loops }) => loops.length === 0 || loops.at(-1) === splitLoops[loops.length - 1]);
        if (sites.length > 1 || !isOnce || this.#uses.isWrittenIn(node.local, statement)) isSame = false;
      } else if (node.kind !== 'apply' || (node.op !== 'add_int' && node.op !== 'sub_int')) isSame = false;
    });
    return isSame;
  }

  /** Frees the memory taken by `original` after `statements`, if nothing outside refers to it. */
  #inArena(original: Statement, statements: Block): Block {
    return this.#memory.isConfined(original) ? [{ kind: 'arena', body: statements }] : statements;
  }

  /** Frees the memory taken in an iteration at its end, if nothing outside refers to it. */
  #iterationInArena(loop: LoopStatement, iteration: Block): Block {
    return this.#memory.isConfinedToBody(loop) ? [{ kind: 'arena', body: iteration }] : iteration;
  }
}

/** Whether reverse statements may read memory that the forward statements have allocated. */
function needsMemoryOf(forward: Block, reverse: Block): boolean {
  const taken = new Set<Variable>();
  visitStatements(forward, (statement) => {
    for (const ref of definedRefs(statement)) taken.add(ref);
  });
  let found = false;
  visitStatements(reverse, (statement) => {
    // The reverse of a call reads what its forward part has allocated.
    if (statement.kind === 'call') found = true;
    mentionsOf(statement, (variable) => {
      found ||= taken.has(variable);
    });
  });
  return found;
}
