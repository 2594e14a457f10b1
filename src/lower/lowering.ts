import type { Typed, TypedProgram, UserFunction, Variable } from '../check/typed.js';
import type { JacobianSink } from '../functions/entry.js';
import type { FunctionTable } from '../functions/table.js';
import { Builder, type Names } from '../ir/builder.js';
import { get } from '../ir/expressions.js';
import type { Interval } from '../ir/linear.js';
import type { Block, Expr, IrFunction, Local, Ref } from '../ir/nodes.js';
import type { Value } from '../ir/value.js';
import type { AutodiffLevel } from '../language/types.js';
import type { Span } from '../source/span.js';
import type { FunctionDefinition, Identifier, ReturnStatement } from '../syntax/ast.js';
import { TangentFunctions } from '../tangent/tangent.js';
import type { TypedExpression } from './expressions.js';
import type { Binding, Storage } from './values.js';

/** What a call of a function does whose body the lowering gives. */
export type GivenFunction = (args: readonly Value[]) => Value;

/** The part of the program being lowered; in `logDensity` alone `target` counts and values depend on parameters. */
export type Phase = 'prepare' | 'logDensity' | 'generate' | 'unconstrain';

/** The call of a user function whose body is being lowered. */
export interface Frame {
  readonly function: UserFunction;
  /** Of its locals: autodiff if any argument is. */
  readonly level: AutodiffLevel;
  /** Constants may be dropped in this call; `_lupdf` inside passes that on. */
  readonly dropConstants: boolean;
  /** What `return` does. */
  readonly leave: (value: TypedExpression | null, statement: ReturnStatement<Typed>) => void;
}

/** Labels that `break` and `continue` leave; null where no statement of the loop needs one. */
export interface LoopLabels {
  readonly breakLabel: number | null;
  readonly continueLabel: number | null;
}

/** What is known of an int: of a loop variable its first and last value, of data the declared bounds. */
export interface IntRange {
  readonly from?: Expr;
  readonly to?: Expr;
}

/** A builder that numbers the blocks that it writes. */
class BlockBuilder extends Builder {
  /** The block being written: what is emitted to the same one runs one after the other, each once. */
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

/** Everything that lowering a program keeps: the builder, what names mean, and what is known of values. */
export class Lowering {
  readonly program: TypedProgram;
  readonly table: FunctionTable;
  readonly builder: BlockBuilder;
  readonly modelName: string;
  /** Whether checks are written that are known to hold. */
  readonly keepsChecks: boolean;
  readonly bindings = new Map<number, Binding>();
  readonly functions: IrFunction[] = [];
  /** Forward derivatives of these. */
  readonly tangents: TangentFunctions;
  readonly compiled = new Map<string, CompiledFunction>();
  /** The functions by id: the program's, and those of the methods that have been called. */
  readonly definitions: Map<number, FunctionDefinition<Typed>>;
  /** The user functions that each definition names. */
  readonly callees = new Map<FunctionDefinition<Typed>, readonly UserFunction[]>();
  /** Whether the user function with an id may come to call itself. */
  readonly recursive = new Map<number, boolean>();
  /** For each function, phase and way with constants: for how many choices of its arguments' levels it is lowered. */
  readonly variants = new Map<string, number>();
  /** How many functions are being lowered inside one another, and those that wait until these are done. */
  readonly compiling: { depth: number; readonly waiting: (() => void)[] } = { depth: 0, waiting: [] };
  readonly ranges = new Map<Local, IntRange>();
  /** What follows from the ranges of stable locals, as far as it has been asked for. */
  readonly intervals = new Map<Local, Interval>();
  /** Bounds that every element of an int container keeps. */
  readonly elementRanges = new Map<Ref, IntRange>();
  /** Containers that take other sizes when a value is assigned to them while they are empty. */
  readonly resizable = new Set<Ref>();
  /** Locals that keep their value while they are in scope. */
  readonly stable = new Set<Local>();
  /** Stable ints known to be at least 0. */
  readonly nonNegative = new Set<Local>();
  readonly keepConstants: Local;
  readonly keepJacobian: Local;
  /** Variables of the solvers' texts. */
  readonly solverVariables = new Map<Identifier, Variable>();
  /** Functions that the text of a solver declares and the call of the solver defines, by id. */
  given: ReadonlyMap<number, GivenFunction> = new Map();
  /** Whether a solver's text is being lowered: what it emits has the place of the solver's call. */
  isInSolver = false;
  /** Whether a function is being lowered whose Jacobian a solver needs. */
  isInJacobian = false;
  phase: Phase = 'prepare';
  frame: Frame | null = null;
  loops: readonly LoopLabels[] = [];
  /** Statements of user functions inlined so far. */
  inlined = 0;

  constructor(program: TypedProgram, table: FunctionTable, names: Names, modelName: string, keepsChecks: boolean) {
    this.keepsChecks = keepsChecks;
    this.program = program;
    this.definitions = new Map(program.functions.map(({ function: { id }, definition }) => [id, definition]));
    this.table = table;
    this.builder = new BlockBuilder(names);
    this.tangents = new TangentFunctions(this.builder, this.functions);
    this.modelName = modelName;
    this.keepConstants = this.builder.newLocal('int', 'keep_constants', 'global');
    this.keepJacobian = this.builder.newLocal('int', 'keep_jacobian', 'global');
    this.stable.add(this.keepConstants);
  }

  /** Whether derivatives are taken of what is being written: in the log density, and for the Jacobian of a solver's function. */
  get differentiates(): boolean {
    return this.phase === 'logDensity' || this.isInJacobian;
  }

  /** Level of values that Stan's types call autodiff: only where derivatives are taken do they depend on anything. */
  level(annotated: AutodiffLevel): AutodiffLevel {
    return this.differentiates ? annotated : 'data';
  }

  /** Adds to the Jacobian of the log density; null in the phases that have none. */
  get jacobian(): JacobianSink | null {
    if (this.phase !== 'logDensity') return null;
    return (value) => {
      if (value.kind !== 'const' || value.value !== 0) this.builder.target(value, 'jacobian');
    };
  }

  /** The variable that an identifier declares. */
  declared(identifier: Identifier): Variable {
    const found = this.program.variables.get(identifier) ?? this.solverVariables.get(identifier);
    if (found === undefined) throw new Error(`${identifier.name} is not declared`);
    return found;
  }

  binding(variable: Variable): Binding {
    const found = this.bindings.get(variable.id);
    if (found === undefined) throw new Error(`${variable.name} is not declared here`);
    return found;
  }

  storage(variable: Variable): Storage {
    const { storage } = this.binding(variable);
    if (storage === null) throw new Error(`${variable.name} is never assigned`);
    return storage;
  }

  /** An expression that can be repeated: the value itself if that is free and stays the same, else a new local's. */
  hold(value: Expr, name: string, storage: 'local' | 'global' = 'local'): Expr {
    if (value.kind === 'const' || (value.kind === 'get' && this.stable.has(value.local))) return value;
    if (storage === 'local') return this.holdIn(this.builder.newLocal(value.type, name), value);
    return this.holdIn(this.builder.newLocal(value.type, name, 'global'), value);
  }

  private holdIn(local: Local, value: Expr): Expr {
    this.builder.assign(local, value);
    this.stable.add(local);
    if (value.kind === 'apply' && value.op === 'add_int') this.ranges.set(local, { from: value, to: value });
    return get(local);
  }

  /** Lowers a statement: checks inside carry its place. */
  at<T>(span: Span, write: () => T): T {
    if (this.isInSolver) return write();
    const outer = this.builder.span;
    this.builder.span = span;
    try {
      return write();
    } finally {
      this.builder.span = outer;
    }
  }
}

/** A user function lowered once for the levels of its arguments. */
export interface CompiledFunction {
  readonly id: number;
}
