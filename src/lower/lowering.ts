import type { Typed, TypedExpression, TypedProgram, Variable } from '../check/typed.js';
import { wholly } from '../dataflow/bounds.js';
import { scalarOf } from '../functions/broadcast.js';
import type { JacobianSink, Sink } from '../functions/entry.js';
import type { FunctionTable } from '../functions/table.js';
import { TangentFunctions } from '../gradient/forward/tangent-functions.js';
import { Builder, type Names } from '../ir/builder.js';
import { Depths } from '../ir/depth.js';
import { get } from '../ir/expressions.js';
import type { Block, Expr, Local } from '../ir/nodes.js';
import type { Value } from '../ir/value.js';
import type { AutodiffLevel } from '../language/types.js';
import type { Span } from '../source/span.js';
import type { Identifier, Statement } from '../syntax/ast.js';
import { CalledFunctions } from './called-functions.js';
import { Knowledge } from './knowledge.js';
import type { Recursion } from './recursion.js';
import { OUTERMOST, type Scope } from './scope.js';
import { type Binding, type Storage, truth } from './values.js';

/** A builder that numbers the blocks that it writes. */
class BlockBuilder extends Builder {
  /** The current block: statements emitted to the same block run in order, each once. */
  block = 0;
  #blocks = 0;

  override capture(write: () => void): Block {
    const outer = this.block;
    this.block = ++this.#blocks;
    try {
      return super.capture(write);
    } finally {
      this.block = outer;
    }
  }
}

export interface LoweringOptions {
  readonly modelName: string;
  readonly keepsChecks: boolean;
  readonly callsAll: boolean;
  readonly secondDerivatives: boolean;
}

/** The state of lowering a program: the program and its builder, the bindings of names, what is known about values, and the current scope. */
export class Lowering {
  readonly program: TypedProgram;
  readonly table: FunctionTable;
  readonly builder: BlockBuilder;
  readonly modelName: string;
  /** Whether checks that are known to hold are written. */
  readonly keepsChecks: boolean;
  /** Whether user functions are called wherever possible. */
  readonly callsAll: boolean;
  /** Whether second derivatives of the log density will be taken. */
  readonly secondDerivatives: boolean;
  /** The part of the log density that has wrong second derivatives, as the subject of a sentence. */
  withoutSecondDerivatives: string | undefined;
  readonly known = new Knowledge();
  readonly depths = new Depths();
  /** Statements and declared names of transformed parameters that the phase has lowered with the coordinates of parameters. */
  readonly computed = new Set<Identifier | Statement<Typed>>();
  readonly called: CalledFunctions;
  /** Forward derivatives of called functions. */
  readonly tangents: TangentFunctions;
  readonly keepConstants: Local;
  readonly keepJacobian: Local;
  readonly #bindings = new Map<number, Binding>();
  /** The previous binding of each variable that was rebound, for undoing. */
  readonly #changes: (readonly [number, Binding | undefined])[] = [];
  /** Variables of the solvers' sources. */
  readonly #solverVariables = new Map<Identifier, Variable>();
  readonly #recursion: Recursion;
  #scope = OUTERMOST;

  constructor(
    program: TypedProgram,
    table: FunctionTable,
    names: Names,
    recursion: Recursion,
    { modelName, keepsChecks, callsAll, secondDerivatives }: LoweringOptions,
  ) {
    this.program = program;
    this.table = table;
    this.builder = new BlockBuilder(names);
    this.modelName = modelName;
    this.keepsChecks = keepsChecks;
    this.callsAll = callsAll;
    this.secondDerivatives = secondDerivatives;
    this.called = new CalledFunctions(program);
    this.tangents = new TangentFunctions(this.builder, this.called.lowered);
    this.keepConstants = this.builder.newLocal('int', 'keep_constants', 'global');
    this.keepJacobian = this.builder.newLocal('int', 'keep_jacobian', 'global');
    this.known.stable.add(this.keepConstants);
    this.#recursion = recursion;
  }

  /** The value of an expression, converted to the type that its context requires. */
  expression(e: TypedExpression): Value {
    return this.#recursion.expression(this, e);
  }

  /** An expression that is known to be a scalar. */
  scalar(e: TypedExpression): Expr {
    return scalarOf(this.expression(e));
  }

  /** A condition: an int or real that is not zero, or a comparison, as a truth value. */
  condition(e: TypedExpression): Expr {
    return truth(this.scalar(e));
  }

  /** Adds an expression to a sink, term by term. */
  increment(e: TypedExpression, sink: Sink): void {
    this.#recursion.increment(this, e, sink);
  }

  statement(statement: Statement<Typed>): void {
    this.at(statement.span, () => this.#recursion.statement(this, statement));
  }

  statements(statements: readonly Statement<Typed>[]): void {
    for (const statement of statements) this.statement(statement);
  }

  /** The scope being lowered. */
  get scope(): Scope {
    return this.#scope;
  }

  /** Runs `write` in a scope that differs from this one. */
  within<T>(change: Partial<Scope>, write: () => T): T {
    const outer = this.#scope;
    this.#scope = { ...outer, ...change };
    try {
      return write();
    } finally {
      this.#scope = outer;
    }
  }

  /** Whether derivatives of what is being written will be taken: in the log density, and for the Jacobian of a solver's function. */
  get differentiates(): boolean {
    return this.#scope.phase === 'logDensity' || this.#scope.isInJacobian;
  }

  /** The level of values that Stan's types call autodiff: such values vary only if derivatives are taken. */
  level(annotated: AutodiffLevel): AutodiffLevel {
    return this.differentiates ? annotated : 'data';
  }

  /** Adds to the Jacobian of the log density; null in phases without one. */
  get jacobian(): JacobianSink | null {
    if (this.#scope.phase !== 'logDensity') return null;
    return (value) => {
      if (value.kind !== 'const' || value.value !== 0) this.builder.target(value, 'jacobian');
    };
  }

  /** Adds the functions of a solver's source, and their variables. */
  define({ variables, functions }: Pick<TypedProgram, 'variables' | 'functions'>): void {
    for (const [identifier, variable] of variables) this.#solverVariables.set(identifier, variable);
    this.called.define(functions);
  }

  /** The variable that an identifier declares. */
  declared(identifier: Identifier): Variable {
    const found = this.program.variables.get(identifier) ?? this.#solverVariables.get(identifier);
    if (found === undefined) throw new Error(`${identifier.name} is not declared`);
    return found;
  }

  /** Binds a variable. */
  bind(variable: Variable, binding: Binding): void {
    this.#changes.push([variable.id, this.#bindings.get(variable.id)]);
    this.#bindings.set(variable.id, binding);
  }

  binding(variable: Variable): Binding {
    const found = this.#bindings.get(variable.id);
    if (found === undefined) throw new Error(`${variable.name} is not declared here`);
    return found;
  }

  /** Runs `write` and restores the bindings afterwards. */
  keepingBindings<T>(write: () => T): T {
    const before = this.#changes.length;
    const result = write();
    for (const [id, binding] of this.#changes.splice(before).reverse()) {
      if (binding === undefined) this.#bindings.delete(id);
      else this.#bindings.set(id, binding);
    }
    return result;
  }

  storage(variable: Variable): Storage {
    const { storage } = this.binding(variable);
    if (storage === null) throw new Error(`${variable.name} is never assigned`);
    return storage;
  }

  /** An expression that can be repeated: the value itself if evaluating it again is free and it does not change, otherwise a new local. */
  hold(value: Expr, name: string, storage: 'local' | 'global' = 'local'): Expr {
    if (value.kind === 'const' || (value.kind === 'get' && this.known.stable.has(value.local))) return value;
    if (storage === 'local') return this.#holdIn(this.builder.newLocal(value.type, name), value);
    return this.#holdIn(this.builder.newLocal(value.type, name, 'global'), value);
  }

  #holdIn(local: Local, value: Expr): Expr {
    this.builder.assign(local, value);
    this.known.stable.add(local);
    if (value.kind === 'apply' && value.op === 'add_int')
      this.known.ranges.set(local, { from: wholly(value), to: wholly(value) });
    return get(local);
  }

  /** Runs `write` with this location; in a solver's source, the location of the solver's call is kept. */
  at<T>(span: Span, write: () => T): T {
    if (this.#scope.isInSolver) return write();
    const outer = this.builder.span;
    this.builder.span = span;
    try {
      return write();
    } finally {
      this.builder.span = outer;
    }
  }
}
