import type { Typed, UserFunction } from '../check/typed.js';
import type { Sink } from '../functions/entry.js';
import { levelOf } from '../ir/builder.js';
import { composite } from '../ir/composite.js';
import { toReal } from '../ir/expressions.js';
import type { Variable } from '../ir/nodes.js';
import type { Value } from '../ir/value.js';
import type { AutodiffLevel, Type } from '../language/types.js';
import type { Span } from '../source/span.js';
import type { FunctionDefinition, ReturnStatement, Statement } from '../syntax/ast.js';
import { Cell, passedParts } from './cell.js';
import { lowerExpression, type TypedExpression } from './expressions.js';
import { addExpression } from './increments.js';
import type { CompiledFunction, Lowering } from './lowering.js';
import { lowerStatements } from './statements.js';
import { Unsupported, unsupported } from './unsupported.js';
import { type Binding, promoteValue, withLevel } from './values.js';

/** Beyond so many statements of inlined functions, further calls are calls. */
const INLINE_LIMIT = 3000;

/** Calls inlined in one another and functions lowered inside one another, so that the stack suffices for long chains of calls. */
const MAX_INLINE_DEPTH = 50;
const MAX_COMPILE_DEPTH = 2;

/**
 * Of a function with so many variants for the levels of its arguments, further calls take the one for which all are parameters,
 * where that changes nothing: not where terms are dropped by the levels.
 */
const DISTINGUISHED_VARIANTS = 16;
const MAX_VARIANTS = 256;

interface Site {
  readonly span: Span;
}

function definitionOf(lowering: Lowering, callee: UserFunction, span: Span): FunctionDefinition<Typed> {
  return lowering.definitions.get(callee.id) ?? unsupported(span, `The external function ${callee.name} is`);
}

/** The value of a call of a user function: its body lowered in place, or a call where that would not end or grow too big. */
export function callUser(
  lowering: Lowering,
  site: Site,
  callee: UserFunction,
  args: readonly Value[],
  dropConstants: boolean,
): Value {
  const given = lowering.given.get(callee.id);
  if (given !== undefined) return given(args);
  const definition = definitionOf(lowering, callee, site.span);
  if (!isInlined(lowering, callee, definition)) {
    return callCompiled(lowering, site, callee, definition, args, dropConstants);
  }
  return inlineCall(lowering, callee, definition, args, levelOf(args), dropConstants);
}

/** The value of a call whose function's body is lowered in place; `level` is that of its locals. */
export function inlineCall(
  lowering: Lowering,
  callee: UserFunction,
  definition: FunctionDefinition<Typed>,
  args: readonly Value[],
  level: AutodiffLevel,
  dropConstants: boolean,
): Value {
  let result: Value | null = null;
  inlineBody(lowering, callee, definition, args, level, dropConstants, (returns) => {
    const collector = new ResultCollector(lowering, callee.result, level, returns);
    return {
      leave: (value) => collector.leave(value),
      finish: () => {
        result = collector.value();
      },
    };
  });
  return result ?? NOTHING;
}

/** Adds what a user function returns to a sink, return by return, so that densities inside write their own loops. */
export function callUserInto(
  lowering: Lowering,
  site: Site,
  callee: UserFunction,
  args: readonly Value[],
  dropConstants: boolean,
  sink: Sink,
): void {
  const definition = lowering.given.has(callee.id) ? null : definitionOf(lowering, callee, site.span);
  if (definition === null || !isInlined(lowering, callee, definition)) {
    const value = callUser(lowering, site, callee, args, dropConstants);
    if (value.kind === 'scalar') sink.add(lowering.builder, toReal(value.value), 'always');
    return;
  }
  inlineBody(lowering, callee, definition, args, levelOf(args), dropConstants, () => ({
    leave: (value) => {
      if (value !== null) addExpression(lowering, value, sink);
    },
    finish: () => {},
  }));
}

function isInlined(lowering: Lowering, callee: UserFunction, definition: FunctionDefinition<Typed>): boolean {
  if (isRecursive(lowering, callee, definition)) return false;
  if (callee.parameters.some(({ type }) => type.kind === 'function')) return true;
  if (lowering.builder.callers.length >= MAX_INLINE_DEPTH) return false;
  return lowering.inlined + countStatements(bodyOf(definition)) <= INLINE_LIMIT;
}

interface Receiver {
  readonly leave: (value: TypedExpression | null) => void;
  readonly finish: () => void;
}

function inlineBody(
  lowering: Lowering,
  callee: UserFunction,
  definition: FunctionDefinition<Typed>,
  args: readonly Value[],
  level: AutodiffLevel,
  dropConstants: boolean,
  receiver: (returns: number) => Receiver,
): void {
  const { builder } = lowering;
  const statements = bodyOf(definition);
  lowering.inlined += countStatements(statements);
  const bound = args.map((arg, i) => bindArgument(lowering, arg, definition.parameters[i].name.name));
  for (const [i, { name }] of definition.parameters.entries()) bindParameter(lowering, name, bound[i]);
  const returns = countReturns(statements);
  const tails = tailReturns(statements);
  const { leave, finish } = receiver(returns);
  const outer = { frame: lowering.frame, loops: lowering.loops };
  const body = (label: number | null): void => {
    lowering.frame = {
      function: callee,
      level,
      dropConstants,
      leave: (value, statement) => {
        leave(value);
        if (label !== null && !tails.has(statement)) builder.exit(label);
      },
    };
    lowering.loops = [];
    const { callers } = builder;
    if (builder.span !== null && !lowering.isInSolver) builder.callers = [builder.span, ...callers];
    lowerStatements(lowering, statements);
    builder.callers = callers;
  };
  if (returns === tails.size) body(null);
  else builder.labelled(body);
  lowering.frame = outer.frame;
  lowering.loops = outer.loops;
  finish();
}

/** Arguments are read-only: scalars are computed once, containers shared where they lie in memory. */
function bindArgument(lowering: Lowering, arg: Value, name: string): Value {
  const { builder } = lowering;
  switch (arg.kind) {
    case 'scalar':
      return { ...arg, value: lowering.hold(arg.value, name) };
    case 'container':
      return arg.ref !== null ? arg : builder.materialize(arg, name);
    case 'composite':
      return composite(
        arg.type,
        arg.parts.map((part) => bindArgument(lowering, part, name)),
      );
  }
}

function bindParameter(lowering: Lowering, name: FunctionDefinition<Typed>['name'], value: Value): void {
  lowering.bindings.set(lowering.declared(name).id, { value, storage: null });
}

/** Collects what a function returns into one value: directly if there is a single return, else through variables. */
class ResultCollector {
  readonly #lowering: Lowering;
  readonly #type: Type;
  readonly #level: AutodiffLevel;
  readonly #cell: Cell | null;
  #direct: Value | null = null;

  constructor(lowering: Lowering, type: Type, level: AutodiffLevel, returns: number) {
    this.#lowering = lowering;
    this.#type = type;
    this.#level = level;
    this.#cell = returns === 1 || type.kind === 'void' ? null : new Cell(lowering.builder, type, 'result');
  }

  leave(e: TypedExpression | null): void {
    if (e === null) return;
    const value = promoteValue(lowerExpression(this.#lowering, e), this.#type);
    if (this.#cell === null) this.#direct = value;
    else this.#cell.assign(value);
  }

  value(): Value | null {
    if (this.#cell !== null) return this.#cell.value(this.#level);
    return this.#direct === null ? null : withLevel(this.#direct, this.#level);
  }
}

/** The statements directly inside a statement. */
export function innerStatements(statement: Statement<Typed>): readonly Statement<Typed>[] {
  switch (statement.kind) {
    case 'if':
      return statement.alternative === undefined
        ? [statement.consequence]
        : [statement.consequence, statement.alternative];
    case 'while':
    case 'for':
    case 'forEach':
      return [statement.body];
    case 'profile':
    case 'block':
      return statement.statements;
    default:
      return [];
  }
}

function countStatements(statements: readonly Statement<Typed>[]): number {
  return statements.reduce((total, statement) => total + 1 + countStatements(innerStatements(statement)), 0);
}

function countReturns(statements: readonly Statement<Typed>[]): number {
  return statements.reduce(
    (total, statement) => total + (statement.kind === 'return' ? 1 : countReturns(innerStatements(statement))),
    0,
  );
}

/** Returns after which nothing of the function follows. */
function tailReturns(statements: readonly Statement<Typed>[]): Set<ReturnStatement<Typed>> {
  const found = new Set<ReturnStatement<Typed>>();
  const visit = (statement: Statement<Typed> | undefined): void => {
    if (statement === undefined) return;
    if (statement.kind === 'return') found.add(statement);
    if (statement.kind === 'block' || statement.kind === 'profile') visit(statement.statements.at(-1));
    if (statement.kind === 'if') {
      visit(statement.consequence);
      visit(statement.alternative);
    }
  };
  visit(statements.at(-1));
  return found;
}

/** Whether the functions that a definition calls, directly or through others, include itself. */
function isRecursive(lowering: Lowering, callee: UserFunction, definition: FunctionDefinition<Typed>): boolean {
  const known = lowering.recursive.get(callee.id);
  if (known !== undefined) return known;
  const seen = new Set<number>();
  const waiting = [...calleesOf(lowering, definition)];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (seen.has(next.id)) continue;
    seen.add(next.id);
    const called = lowering.definitions.get(next.id);
    if (called !== undefined) waiting.push(...calleesOf(lowering, called));
  }
  lowering.recursive.set(callee.id, seen.has(callee.id));
  return seen.has(callee.id);
}

/** The user functions that a definition names, as callees or as arguments. */
function calleesOf(lowering: Lowering, definition: FunctionDefinition<Typed>): readonly UserFunction[] {
  const known = lowering.callees.get(definition);
  if (known !== undefined) return known;
  const found = new Map<number, UserFunction>();
  const visit = (node: unknown): void => {
    if (Array.isArray(node)) {
      node.forEach(visit);
      return;
    }
    if (typeof node !== 'object' || node === null) return;
    if ('callee' in node && isUserCallee(node.callee)) found.set(node.callee.function.id, node.callee.function);
    if ('symbol' in node && isUserCallee(node.symbol)) found.set(node.symbol.function.id, node.symbol.function);
    for (const [key, child] of Object.entries(node)) {
      if (!SKIPPED.has(key)) visit(child);
    }
  };
  visit(bodyOf(definition));
  const callees = [...found.values()];
  lowering.callees.set(definition, callees);
  return callees;
}

const SKIPPED: ReadonlySet<string> = new Set([
  'span',
  'operatorSpan',
  'callee',
  'symbol',
  'type',
  'promotedTo',
  'file',
]);

function isUserCallee(value: unknown): value is { readonly function: UserFunction } {
  return (
    typeof value === 'object' &&
    value !== null &&
    'function' in value &&
    value.function !== undefined &&
    'kind' in value &&
    (value.kind === 'user' || value.kind === 'function')
  );
}

/** A call of a function that was lowered once for these levels of its arguments. */
function callCompiled(
  lowering: Lowering,
  site: Site,
  callee: UserFunction,
  definition: FunctionDefinition<Typed>,
  args: readonly Value[],
  dropConstants: boolean,
): Value {
  const { builder } = lowering;
  const { id } = compileFunction(lowering, site, callee, definition, args, dropConstants);
  const passed = args.flatMap((arg) => passedParts(builder, arg));
  const { span, callers } = builder;
  const level = levelOf(args);
  if (callee.result.kind === 'void') {
    builder.emit({ kind: 'call', callee: id, args: passed, results: [], span, callers });
    return NOTHING;
  }
  const result = new Cell(builder, callee.result, 'result');
  builder.emit({ kind: 'call', callee: id, args: passed, results: result.variables, span, callers });
  return result.value(level);
}

/** What a call of a void function is worth. */
export const NOTHING: Value = { kind: 'composite', type: { kind: 'void' }, level: 'data', parts: [] };

function compileFunction(
  lowering: Lowering,
  { span }: Site,
  callee: UserFunction,
  definition: FunctionDefinition<Typed>,
  args: readonly Value[],
  dropConstants: boolean,
): CompiledFunction {
  const family = [callee.id, lowering.phase, dropConstants].join(' ');
  const variants = lowering.variants.get(family) ?? 0;
  const isGeneral = variants >= DISTINGUISHED_VARIANTS && !dropConstants && callee.suffix !== 'lp';
  const levels = args.map(({ level }, i) => (isGeneral && !definition.parameters[i].dataOnly ? 'autodiff' : level));
  const key = [family, ...levels].join(' ');
  const known = lowering.compiled.get(key);
  if (known !== undefined) return known;
  if (variants >= MAX_VARIANTS) {
    const count = `${callee.name} is called with more than ${MAX_VARIANTS} choices of which arguments are data`;
    const right = 'Let every call pass what depends on parameters as the same arguments, or pass fewer of them.';
    throw new Unsupported(span, `${count}, and each would be a function of its own. ${right}`);
  }
  lowering.variants.set(family, variants + 1);
  const result = callee.result.kind === 'void' ? null : new Cell(lowering.builder, callee.result, 'result');
  const compiled: CompiledFunction = { id: lowering.builder.names.fresh() };
  lowering.compiled.set(key, compiled);
  const { compiling } = lowering;
  const write = (): void => lowerFunction(lowering, compiled, result, callee, definition, levels, dropConstants);
  if (compiling.depth >= MAX_COMPILE_DEPTH) {
    compiling.waiting.push(write);
    return compiled;
  }
  compiling.depth++;
  write();
  if (compiling.depth === 1)
    for (let next = compiling.waiting.pop(); next !== undefined; next = compiling.waiting.pop()) next();
  compiling.depth--;
  return compiled;
}

function lowerFunction(
  lowering: Lowering,
  { id }: CompiledFunction,
  result: Cell | null,
  callee: UserFunction,
  definition: FunctionDefinition<Typed>,
  levels: readonly AutodiffLevel[],
  dropConstants: boolean,
): void {
  const { builder } = lowering;
  const saved: readonly (readonly [number, Binding])[] = [...lowering.bindings];
  const parameters = levels.flatMap((level, i): readonly Variable[] => {
    const { name } = definition.parameters[i];
    const cell = new Cell(builder, callee.parameters[i].type, name.name);
    for (const variable of cell.variables) if (variable.kind === 'local') lowering.stable.add(variable);
    bindParameter(lowering, name, cell.value(level));
    return cell.variables;
  });
  const outer = { frame: lowering.frame, loops: lowering.loops, callers: builder.callers };
  lowering.frame = {
    function: callee,
    level: levels.includes('autodiff') ? 'autodiff' : 'data',
    dropConstants,
    leave: (e) => {
      if (e !== null) result?.assign(promoteValue(lowerExpression(lowering, e), callee.result));
      builder.exit(FUNCTION_LABEL);
    },
  };
  lowering.loops = [];
  builder.callers = [];
  const body = builder.capture(() => lowerStatements(lowering, bodyOf(definition)));
  lowering.frame = outer.frame;
  lowering.loops = outer.loops;
  builder.callers = outer.callers;
  lowering.bindings.clear();
  for (const [key, binding] of saved) lowering.bindings.set(key, binding);
  lowering.functions.push({ id, name: callee.name, parameters, results: result?.variables ?? [], body });
}

/** `exit` of this label leaves a function. */
const FUNCTION_LABEL = 0;

function bodyOf({ body }: FunctionDefinition<Typed>): readonly Statement<Typed>[] {
  if (body === undefined) return [];
  return body.kind === 'block' ? body.statements : [body];
}
