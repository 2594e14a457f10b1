import { KERNELS } from '../../functions/kernels.js';
import type { Builder } from '../../ir/builder.js';
import { add, get, int, load, mul, select, size, ZERO } from '../../ir/expressions.js';
import type { Block, Expr, KernelArgument, Local, Ref, Statement, StatementOf, Variable } from '../../ir/nodes.js';
import { OPS } from '../../ir/ops.js';
import { rootOf } from '../../ir/refs.js';
import type { Span } from '../../source/span.js';
import { activeIn, isReal, readsActive } from './active.js';
import { final, NoTangent, refuseFinal } from './missing-derivatives.js';

/**
 * Forward-mode differentiation: writes the block's statements, each with the computation of its tangents. Every variable that depends on a
 * seed gets a tangent; `seeds` maps the seeds to theirs. Terms of `target` are replaced by their tangents. The result is ordinary IR, which
 * can be differentiated again. Source: Griewank & Walther, Evaluating Derivatives, section 3.1.
 *
 * Throws `NoTangent` for kernels without a rule, and for operations without derivatives.
 */
export function writeTangents(
  builder: Builder,
  block: Block,
  seeds: ReadonlyMap<Variable, Variable>,
  functions: CalledTangents,
): Tangents {
  return writeSeveralTangents(builder, block, [seeds], functions);
}

/** Like `writeTangents`, for several directions with the same seeds. The block's own statements are written once. */
export function writeSeveralTangents(
  builder: Builder,
  block: Block,
  directions: readonly ReadonlyMap<Variable, Variable>[],
  functions: CalledTangents,
): Tangents {
  const tangents = new Tangents(builder, activeIn(block, [...directions[0].keys()]), directions, functions);
  tangents.block(block);
  return tangents;
}

/** A function with tangents, and whether each of its arguments varies. */
export interface TangentFunction {
  readonly id: number;
  readonly varies: readonly boolean[];
}

/** Provides the function with tangents that a block calls instead of `callee`; `span` is the location of the call. */
export interface CalledTangents {
  of(callee: number, varies: readonly boolean[], span: Span | null): TangentFunction;
}

export class Tangents {
  readonly #builder: Builder;
  readonly #active: ReadonlySet<Variable>;
  readonly #directions: readonly Map<Variable, Variable>[];
  readonly #functions: CalledTangents;
  /** The tangents along the current direction. */
  #tangents: Map<Variable, Variable>;

  constructor(
    builder: Builder,
    active: ReadonlySet<Variable>,
    directions: readonly ReadonlyMap<Variable, Variable>[],
    functions: CalledTangents,
  ) {
    this.#builder = builder;
    this.#active = active;
    this.#directions = directions.map((seeds) => new Map(seeds));
    this.#tangents = this.#directions[0];
    this.#functions = functions;
  }

  /** The tangent of an element of a container along one of the directions. */
  element(ref: Ref, index: Expr, direction = 0): Expr {
    if (!this.#isActive(ref)) return ZERO;
    this.#tangents = this.#directions[direction];
    return load(this.#ref(ref), index);
  }

  /**
   * Throws `NoTangent` if the written block cannot be differentiated again, because it depends on a seed through an operation without
   * further derivatives.
   */
  refuseFinal(written: Block): void {
    refuseFinal(written, (argument) => readsActive(argument, this.#active));
  }

  /** The tangent of a scalar along the first direction. */
  scalar(local: Local): Expr {
    this.#tangents = this.#directions[0];
    return this.#isActive(local) ? get(this.#local(local)) : ZERO;
  }

  block(block: Block): void {
    for (const statement of block) this.#statement(statement);
  }

  #along(write: () => void): void {
    for (const tangents of this.#directions) {
      this.#tangents = tangents;
      write();
    }
  }

  #isActive(variable: Variable): boolean {
    return this.#active.has(variable.kind === 'ref' ? rootOf(variable) : variable);
  }

  #local(local: Local): Local {
    const known = this.#tangents.get(local);
    if (known?.kind === 'local') return known;
    const made = this.#builder.newLocal('real', `${local.name}_tangent`);
    this.#tangents.set(local, made);
    return made;
  }

  #ref(ref: Ref): Ref {
    const known = this.#tangents.get(ref);
    if (known?.kind === 'ref') return known;
    const parent = ref.parent === null ? null : this.#ref(ref.parent);
    const made = this.#builder.newRef('real', ref.rank, `${ref.name}_tangent`, 'local', parent);
    this.#tangents.set(ref, made);
    return made;
  }

  #statement(statement: Statement): void {
    const builder = this.#builder;
    switch (statement.kind) {
      case 'assign':
        if (this.#isActive(statement.local)) {
          this.#along(() => builder.assign(this.#local(statement.local), this.#of(statement.value)));
        }
        break;
      case 'store':
        if (this.#isActive(statement.ref)) {
          this.#along(() => builder.store(this.#ref(statement.ref), statement.index, this.#of(statement.value)));
        }
        break;
      case 'allocate':
      case 'view':
        if (this.#isActive(statement.ref)) {
          this.#along(() => builder.emit({ ...statement, ref: this.#ref(statement.ref) }));
        }
        break;
      case 'target': {
        this.#along(() => {
          const value = this.#tangentOf(statement.value, new Map());
          if (value !== null) builder.emit({ ...statement, value });
        });
        return;
      }
      case 'kernel':
        this.#kernel(statement);
        return;
      case 'call':
        this.#call(statement);
        return;
      case 'for':
        builder.emit({ ...statement, body: builder.capture(() => this.block(statement.body)) });
        return;
      case 'while':
      case 'labeled':
        builder.emit({ ...statement, body: builder.capture(() => this.block(statement.body)) });
        return;
      case 'if': {
        const [then, otherwise] = [statement.then, statement.otherwise].map((side) =>
          builder.capture(() => this.block(side)),
        );
        builder.emit({ ...statement, then, otherwise });
        return;
      }
    }
    builder.emit(statement);
  }

  /** Sets the tangent of an output of a kernel with constant inputs to zero. */
  #clearOutput(kernel: string, argument: KernelArgument): void {
    if (argument.kind !== 'pointer' || !this.#isActive(argument.ref)) return;
    if (argument.offset !== null) throw new NoTangent(`the kernel ${kernel} without tangents`);
    const { ref } = argument;
    const count = sizesOf(ref).reduce((product, one) => mul(product, one), int(1));
    this.#along(() => this.#builder.each(count, (i) => this.#builder.store(this.#ref(ref), i, ZERO)));
  }

  #call(statement: StatementOf<'call'>): void {
    const { callee, args, results } = statement;
    const varies = args.map((argument) => this.#depends(argument));
    if (!varies.includes(true)) {
      this.#builder.emit(statement);
      for (const result of results.filter((variable) => this.#isActive(variable))) {
        this.#along(() => {
          if (result.kind === 'ref') this.#builder.allocateRef(this.#ref(result), sizesOf(result), 'zero');
          else this.#builder.assign(this.#local(result), ZERO);
        });
      }
      return;
    }
    if (this.#directions.length > 1) throw new NoTangent('a call along several directions');
    const made = this.#functions.of(callee, varies, statement.span ?? null);
    const slopes = args
      .filter((_, k) => made.varies[k])
      .map((argument) => (argument.kind === 'ref' ? this.#ref(argument) : this.#of(argument)));
    const found = results
      .filter(isReal)
      .map((result) => (result.kind === 'ref' ? this.#ref(result) : this.#local(result)));
    this.#builder.emit({
      ...statement,
      callee: made.id,
      args: [...args, ...slopes],
      results: [...results, ...found],
    });
  }

  #depends(argument: Expr | Ref): boolean {
    return argument.kind === 'ref' ? this.#isActive(argument) : this.#tangentOf(argument, new Map()) !== null;
  }

  #kernel(statement: StatementOf<'kernel'>): void {
    const { name, args } = statement;
    const kernel = KERNELS.get(name);
    const isActive = (argument: KernelArgument): boolean => argument.kind === 'pointer' && this.#isActive(argument.ref);
    const passes = kernel !== undefined && kernel.adjoint !== null;
    const reads = args.some((argument, k) => isActive(argument) && !kernel?.outputs.includes(k));
    this.#builder.emit(statement);
    if (!passes || !reads) {
      for (const k of kernel?.outputs ?? []) this.#clearOutput(name, args[k]);
      return;
    }
    if (kernel.tangent === undefined) throw new NoTangent(`the kernel ${name}`);
    const write = kernel.tangent;
    this.#along(() => {
      const tangents = args.map((argument) =>
        argument.kind === 'pointer' && isActive(argument) ? { ...argument, ref: this.#ref(argument.ref) } : null,
      );
      write(this.#builder, args, tangents);
    });
  }

  #of(value: Expr): Expr {
    return this.#tangentOf(value, new Map()) ?? ZERO;
  }

  /** The tangent of an expression; null if it does not depend on a seed. */
  #tangentOf(e: Expr, known: Map<Expr, Expr | null>): Expr | null {
    const before = known.get(e);
    if (before !== undefined) return before;
    const tangent = e.type === 'int' ? null : this.#make(e, known);
    known.set(e, tangent);
    return tangent;
  }

  #make(e: Expr, known: Map<Expr, Expr | null>): Expr | null {
    switch (e.kind) {
      case 'get':
        return this.#isActive(e.local) ? get(this.#local(e.local)) : null;
      case 'load':
        return this.#isActive(e.ref) ? load(this.#ref(e.ref), e.index) : null;
      case 'apply': {
        if (e.op === 'select') {
          const [then, otherwise] = e.args.slice(1).map((side) => this.#tangentOf(side, known));
          if (then === null && otherwise === null) return null;
          return select(e.args[0], then ?? ZERO, otherwise ?? ZERO);
        }
        const { partials: plain, smooth: rule = plain, missing } = OPS[e.op];
        if (rule === null && missing === undefined) return null;
        const tangents = e.args.map((argument) => this.#tangentOf(argument, known));
        if (tangents.every((tangent) => tangent === null)) return null;
        if (missing?.(e.args).some((argument) => this.#tangentOf(argument, known) !== null)) throw final(e.op);
        const partials = rule?.(e.args, e) ?? [];
        return tangents.reduce<Expr | null>((sum, tangent, k) => {
          const partial = partials[k];
          if (tangent === null || partial == null) return sum;
          const term = mul(partial, tangent);
          return sum === null ? term : add(sum, term);
        }, null);
      }
      default:
        return null;
    }
  }
}

export function sizesOf(ref: Ref): readonly Expr[] {
  return Array.from({ length: ref.rank }, (_, axis) => size(ref, axis));
}
