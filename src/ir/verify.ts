import { isValue } from './expressions.js';
import {
  type Block,
  type Expr,
  FUNCTION_LABEL,
  type GradientStatement,
  type IrFunction,
  type KernelArgument,
  type Local,
  type Ref,
  type ScalarType,
  type Statement,
  type StatementOf,
  type Variable,
} from './nodes.js';
import { OPS } from './ops.js';
import { printExpr, printStatement } from './print.js';
import { verifyTape } from './tape.js';
import { assignedLocals, blocksOf, definedRefs, expressionsOf, operandsOf } from './walk.js';

/** Thrown for violated invariants of the compiler, never for errors in a program. */
export class InternalError extends Error {
  override readonly name = 'InternalError';
}

export interface VerifyOptions {
  /** Functions that the block may call. */
  readonly functions?: readonly IrFunction[];
  /** Variables that have a value when the block starts. Global variables always do. */
  readonly defined?: readonly Variable[];
  /** Whether the block is differentiated and may contain adjoints, the tape and other results of differentiation. */
  readonly gradient?: boolean;
}

/**
 * Verifies that a block obeys the rules of the IR: operands have the right types and ranks, an exit is inside its block, every variable is
 * set before it is read (inside a loop, at least by an earlier iteration), the tape is balanced, and each statement is a separate object,
 * because analyses identify statements by object. Throws `InternalError` with the printed statement.
 */
export function verify(block: Block, options: VerifyOptions = {}): void {
  const verifier = new Verifier(options);
  verifier.block(block, new Set());
  verifier.tape(block);
}

/** Like `verify`, for a function's body. The reverse part of a differentiated function pops what the forward part pushed. */
export function verifyFunction(f: IrFunction, functions: readonly IrFunction[], options: VerifyOptions = {}): void {
  const verifier = new Verifier({ ...options, functions, defined: f.parameters, isCalled: true });
  verifier.block(f.body, new Set([FUNCTION_LABEL]));
  for (const result of f.results) verifier.result(f, result);
}

const GRADIENT_KINDS: ReadonlySet<Statement['kind']> = new Set<GradientStatement['kind']>([
  'add_adjoint',
  'set_adjoint',
  'push',
  'pop',
  'push_ref',
  'pop_ref',
  'for_reverse',
]);

interface VerifierOptions extends VerifyOptions {
  /** Whether the block is the body of a called function. Only the caller of a function adds to `target`. */
  readonly isCalled?: boolean;
}

class Verifier {
  readonly #functions: ReadonlyMap<number, IrFunction>;
  readonly #defined: Set<Variable>;
  readonly #gradient: boolean;
  readonly #isCalled: boolean;
  readonly #placed = new Set<Statement>();
  #statement: Statement | null = null;
  /** Whether statements at this point are reachable; they are not after a check that always fails. */
  #isReached = true;

  constructor({ functions = [], defined = [], gradient = false, isCalled = false }: VerifierOptions) {
    this.#gradient = gradient;
    this.#isCalled = isCalled;
    this.#functions = new Map(functions.map((f) => [f.id, f]));
    this.#defined = new Set(defined);
  }

  block(block: Block, labels: ReadonlySet<number>): void {
    const isReached = this.#isReached;
    for (const statement of block) {
      this.#verify(statement, labels);
      if (statement.kind === 'check' && isValue(statement.condition, 0)) this.#isReached = false;
    }
    this.#isReached = isReached;
  }

  tape(block: Block): void {
    if (!this.#gradient) return;
    verifyTape(block, (problem, statement) => {
      this.#statement = statement;
      this.#fail(problem);
    });
  }

  result({ name }: IrFunction, result: Variable): void {
    this.#statement = null;
    if (!this.#defined.has(result)) this.#fail(`${name} never sets ${result.name}`);
  }

  #fail(problem: string): never {
    if (this.#statement === null) throw new InternalError(problem);
    const lines = printStatement(this.#statement).split('\n');
    throw new InternalError(`${problem} in\n${lines.slice(0, 12).join('\n')}${lines.length > 12 ? '\n…' : ''}`);
  }

  #verify(statement: Statement, labels: ReadonlySet<number>): void {
    this.#statement = statement;
    if (this.#placed.has(statement)) this.#fail('a statement in two blocks');
    this.#placed.add(statement);
    if (!this.#gradient && GRADIENT_KINDS.has(statement.kind)) this.#fail(`${statement.kind} before differentiation`);
    const isLoop = statement.kind === 'for' || statement.kind === 'for_reverse' || statement.kind === 'while';
    if (isLoop) for (const inner of statement.body) this.#defineAll(inner);
    const seen = new Set<Expr>();
    for (const root of expressionsOf(statement)) this.#expression(root, seen);
    this.#own(statement, labels);
    this.#define(statement);
    const inside = statement.kind === 'labeled' ? new Set([...labels, statement.label]) : labels;
    for (const block of blocksOf(statement)) this.block(block, inside);
  }

  #define(statement: Statement): void {
    for (const local of assignedLocals(statement)) this.#defined.add(local);
    for (const ref of definedRefs(statement)) this.#defined.add(ref);
  }

  #defineAll(statement: Statement): void {
    this.#define(statement);
    for (const block of blocksOf(statement)) for (const inner of block) this.#defineAll(inner);
  }

  #use(variable: Variable): void {
    if (this.#isReached && variable.storage === 'local' && !this.#defined.has(variable))
      this.#fail(`${variable.name} is read before it is set`);
  }

  #expect(e: Expr, type: ScalarType, what: string): void {
    if (e.type !== type) this.#fail(`${what} is ${e.type}, not ${type}: ${printExpr(e)}`);
  }

  #expression(e: Expr, seen: Set<Expr>): void {
    if (seen.has(e)) return;
    seen.add(e);
    for (const operand of operandsOf(e)) this.#expression(operand, seen);
    switch (e.kind) {
      case 'const':
        if (e.type === 'int' && (e.value | 0) !== e.value) this.#fail(`${e.value} is not an int`);
        return;
      case 'get':
        this.#use(e.local);
        this.#expect(e, e.local.type, 'a local');
        return;
      case 'load':
        this.#use(e.ref);
        this.#expect(e.index, 'int', 'an index');
        this.#expect(e, e.ref.element, 'an element');
        return;
      case 'load_adjoint':
        this.#adjoint(e.ref);
        this.#expect(e.index, 'int', 'an index');
        return;
      case 'size':
        this.#use(e.ref);
        if (e.axis >= e.ref.rank) this.#fail(`${e.ref.name} has no axis ${e.axis}`);
        return;
      case 'target':
        if (this.#isCalled) this.#fail('a called function reads target');
        return;
      case 'apply': {
        const op = OPS[e.op];
        if (op === undefined) this.#fail(`there is no operation ${e.op}`);
        this.#expect(e, op.result, `the result of ${e.op}`);
        if (op.args.length !== e.args.length)
          this.#fail(`${e.op} takes ${op.args.length} operands, not ${e.args.length}`);
        for (const [k, arg] of e.args.entries()) this.#expect(arg, op.args[k], `operand ${k} of ${e.op}`);
      }
    }
  }

  #adjoint(ref: Ref): void {
    if (!this.#gradient) this.#fail(`an adjoint of ${ref.name} before differentiation`);
    this.#use(ref);
    if (ref.element !== 'real') this.#fail(`${ref.name} of ints has no adjoint`);
  }

  #ints(values: readonly Expr[], what: string): void {
    for (const value of values) this.#expect(value, 'int', what);
  }

  #own(statement: Statement, labels: ReadonlySet<number>): void {
    switch (statement.kind) {
      case 'assign':
        this.#expect(statement.value, statement.local.type, `the value of ${statement.local.name}`);
        return;
      case 'store':
        this.#use(statement.ref);
        this.#expect(statement.index, 'int', 'an index');
        this.#expect(statement.value, statement.ref.element, `an element of ${statement.ref.name}`);
        return;
      case 'allocate':
        this.#sizes(statement.ref, statement.sizes);
        return;
      case 'view':
        this.#expect(statement.offset, 'int', 'an offset');
        this.#sizes(statement.ref, statement.sizes);
        this.#parent(statement.ref);
        return;
      case 'target':
        if (this.#isCalled) this.#fail('a called function adds to target');
        this.#expect(statement.value, 'real', 'a term of target');
        return;
      case 'for':
      case 'for_reverse':
        this.#ints([statement.from, statement.to], 'the end of a loop');
        if (statement.index.type !== 'int') this.#fail(`the index ${statement.index.name} is not int`);
        this.#indexStays(statement.index, statement.body);
        return;
      case 'while':
      case 'if':
      case 'check':
        this.#expect(statement.condition, 'int', 'a condition');
        if (statement.kind === 'check') this.#template(statement.failure.template, statement.values.length);
        return;
      case 'exit':
        if (!labels.has(statement.label)) this.#fail(`there is no block ${statement.label} around`);
        return;
      case 'kernel':
        for (const argument of statement.args) this.#pointer(argument);
        return;
      case 'call':
        this.#call(statement);
        return;
      case 'print':
      case 'reject':
        for (const part of statement.parts) if (part.kind === 'container') this.#use(part.ref);
        return;
      case 'add_adjoint':
      case 'set_adjoint':
        this.#adjoint(statement.ref);
        this.#expect(statement.index, 'int', 'an index');
        this.#expect(statement.value, 'real', 'an adjoint');
        return;
      case 'labeled':
      case 'push':
      case 'pop':
      case 'push_ref':
      case 'pop_ref':
      case 'arena':
        return;
    }
  }

  #sizes(ref: Ref, sizes: readonly Expr[]): void {
    if (sizes.length !== ref.rank) this.#fail(`${ref.name} of rank ${ref.rank} has ${sizes.length} sizes`);
    this.#ints(sizes, 'a size');
  }

  #parent({ name, parent, element }: Ref): void {
    if (parent === null) this.#fail(`${name} has no parent to view`);
    this.#use(parent);
    if (parent.element !== element) this.#fail(`${name} views ${parent.name} of another element type`);
  }

  #indexStays(index: Local, body: Block): void {
    for (const statement of body) {
      if (assignedLocals(statement).includes(index)) this.#fail(`the body writes its index ${index.name}`);
      for (const block of blocksOf(statement)) this.#indexStays(index, block);
    }
  }

  #template(template: string, values: number): void {
    for (const match of template.matchAll(/\{(\d+)(?::(?:f|range|\d+))?\}/g)) {
      if (Number(match[1]) >= values) this.#fail(`there is no value for ${match[0]}`);
    }
  }

  #pointer(argument: KernelArgument): void {
    if (argument.kind !== 'pointer') return;
    this.#use(argument.ref);
    if (argument.offset !== null) this.#expect(argument.offset, 'int', 'an offset');
    if (argument.adjoint) this.#adjoint(argument.ref);
  }

  #call({ callee, args, results }: StatementOf<'call'>): void {
    for (const argument of args) if (argument.kind === 'ref') this.#use(argument);
    const f = this.#functions.get(callee);
    if (f === undefined) this.#fail(`there is no function ${callee}`);
    this.#passed(args, f.parameters, 'argument');
    this.#passed(results, f.results, 'result');
  }

  #passed(given: readonly (Expr | Variable)[], expected: readonly Variable[], what: string): void {
    if (given.length !== expected.length) this.#fail(`${given.length} ${what}s for ${expected.length}`);
    for (const [k, value] of given.entries()) {
      if (describe(value) !== describe(expected[k])) {
        this.#fail(`${what} ${k} is ${describe(value)}, not ${describe(expected[k])}`);
      }
    }
  }
}

function describe(value: Expr | Variable): string {
  return value.kind === 'ref' ? `${value.element} of rank ${value.rank}` : value.type;
}
