import type { Typed, TypedExpression, UserFunction } from '../check/typed.js';
import type { Sink } from '../functions/entry.js';
import { levelOf } from '../ir/builder.js';
import { composite } from '../ir/composite.js';
import { FUNCTION_LABEL } from '../ir/nodes.js';
import type { Value } from '../ir/value.js';
import type { AutodiffLevel, Type } from '../language/types.js';
import { DETACHED } from '../solvers/method.js';
import type { Span } from '../source/span.js';
import type { FunctionDefinition } from '../syntax/ast.js';
import type { CompiledFunction } from './called-functions.js';
import { Cell, passedParts } from './cell.js';
import type { Lowering } from './lowering.js';
import { bodyOf, countReturns, countStatements, tailReturns } from './nested-statements.js';
import type { Frame } from './scope.js';
import { addElements } from './sinks.js';
import { Unsupported, unsupported } from './unsupported.js';
import { NOTHING, promoteValue, withLevel } from './values.js';

/** Maximum number of statements of inlined functions; further calls are not inlined. */
const INLINE_LIMIT = 3000;

/** Maximum depth of nested inlined calls and of nested lowered functions: long chains of calls must not overflow the stack. */
const MAX_INLINE_DEPTH = 50;
const MAX_COMPILE_DEPTH = 2;

/**
 * After this number of variants of a function for the levels of its arguments, further calls use the variant for which all are parameters,
 * if that changes nothing: not if terms are dropped by level.
 */
const DISTINGUISHED_VARIANTS = 16;
const MAX_VARIANTS = 256;

interface Site {
  readonly span: Span;
}

function definitionOf(lowering: Lowering, callee: UserFunction, span: Span): FunctionDefinition<Typed> {
  return lowering.called.definition(callee) ?? unsupported(span, `The external function ${callee.name} is`);
}

/** The value of a call of a user function: its body lowered in place, or a call if inlining would not terminate or would produce too much code. */
export function callUser(
  lowering: Lowering,
  site: Site,
  callee: UserFunction,
  args: readonly Value[],
  dropConstants: boolean,
): Value {
  const given = lowering.scope.given.get(callee.id);
  if (given !== undefined) return given(args);
  const definition = definitionOf(lowering, callee, site.span);
  if (!isInlined(lowering, callee, definition, args)) {
    return callCompiled(lowering, site, callee, definition, args, dropConstants);
  }
  return inlineCall(lowering, { callee, definition, args, level: levelOf(args), dropConstants });
}

/** A call of a function whose body is lowered in place. */
export interface InlinedCall {
  readonly callee: UserFunction;
  readonly definition: FunctionDefinition<Typed>;
  readonly args: readonly Value[];
  /** The level of the function's locals. */
  readonly level: AutodiffLevel;
  readonly dropConstants: boolean;
}

/** The value of such a call. */
export function inlineCall(lowering: Lowering, call: InlinedCall): Value {
  let result: Value | null = null;
  inlineBody(lowering, call, (returns) => {
    const collector = new ResultCollector(lowering, call.callee.result, call.level, returns);
    return {
      leave: (value) => collector.leave(value),
      finish: () => {
        result = collector.value();
      },
    };
  });
  return result ?? NOTHING;
}

/** Adds the result of a user function to a sink, one return at a time, so that densities inside write their own loops. */
export function callUserInto(
  lowering: Lowering,
  site: Site,
  callee: UserFunction,
  args: readonly Value[],
  dropConstants: boolean,
  sink: Sink,
): void {
  const definition = lowering.scope.given.has(callee.id) ? null : definitionOf(lowering, callee, site.span);
  if (definition === null || !isInlined(lowering, callee, definition, args)) {
    addElements(lowering, callUser(lowering, site, callee, args, dropConstants), sink);
    return;
  }
  inlineBody(lowering, { callee, definition, args, level: levelOf(args), dropConstants }, () => ({
    leave: (value) => {
      if (value !== null) lowering.increment(value, sink);
    },
    finish: () => {},
  }));
}

function isInlined(
  lowering: Lowering,
  callee: UserFunction,
  definition: FunctionDefinition<Typed>,
  args: readonly Value[],
): boolean {
  if (lowering.called.isRecursive(callee, definition)) return false;
  if (callee.parameters.some(({ type }) => type.kind === 'function')) return true;
  if (readsOutside(lowering, definition)) return true;
  if (lowering.builder.callers.length >= MAX_INLINE_DEPTH) return false;
  if (isPlanned(lowering, callee, args)) return false;
  return lowering.called.inlined + countStatements(bodyOf(definition)) <= INLINE_LIMIT;
}

/** Whether a function is called although it could be inlined. Inlined work on data alone moves out of the log density; a call would not. */
function isPlanned(
  { called, callsAll, differentiates, scope }: Lowering,
  callee: UserFunction,
  args: readonly Value[],
): boolean {
  if (!called.planned.has(callee.id) || scope.isInSolver || scope.isInJacobian) return false;
  return callsAll || !differentiates || levelOf(args) === 'autodiff';
}

/** Whether a function of a solver's source calls a function from the solver's call, which reads locals outside the source. */
function readsOutside({ scope, called }: Lowering, definition: FunctionDefinition<Typed>): boolean {
  if (!scope.isInSolver) return false;
  return [...called.reachableFrom(definition).values()].some(
    ({ id, name }) => scope.given.has(id) && name !== DETACHED,
  );
}

interface Receiver {
  readonly leave: (value: TypedExpression | null) => void;
  readonly finish: () => void;
}

function inlineBody(
  lowering: Lowering,
  { callee, definition, args, level, dropConstants }: InlinedCall,
  receiver: (returns: number) => Receiver,
): void {
  const { builder } = lowering;
  const statements = bodyOf(definition);
  lowering.called.inlined += countStatements(statements);
  const bound = args.map((arg, i) => bindArgument(lowering, arg, definition.parameters[i].name.name));
  for (const [i, { name }] of definition.parameters.entries()) bindParameter(lowering, name, bound[i]);
  const returns = countReturns(statements);
  const tails = tailReturns(statements);
  const { leave, finish } = receiver(returns);
  const body = (label: number | null): void => {
    const frame: Frame = {
      function: callee,
      level,
      dropConstants,
      leave: (value, statement) => {
        leave(value);
        if (label !== null && !tails.has(statement)) builder.exit(label);
      },
    };
    const { callers } = builder;
    if (builder.span !== null && !lowering.scope.isInSolver) builder.callers = [builder.span, ...callers];
    lowering.within({ frame, loops: [] }, () => lowering.statements(statements));
    builder.callers = callers;
  };
  if (returns === tails.size) body(null);
  else builder.labeled(body);
  finish();
}

/** Arguments are read-only: scalars are computed once, containers are shared in memory. */
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
  lowering.bind(lowering.declared(name), { value, storage: null });
}

/** Collects the returns of a function into one value: directly if it has a single return, otherwise through variables. */
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
    const value = promoteValue(this.#lowering.expression(e), this.#type);
    if (this.#cell === null) this.#direct = value;
    else this.#cell.assign(value);
  }

  value(): Value | null {
    if (this.#cell !== null) return this.#cell.value(this.#level);
    return this.#direct === null ? null : withLevel(this.#direct, this.#level);
  }
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

function compileFunction(
  lowering: Lowering,
  { span }: Site,
  callee: UserFunction,
  definition: FunctionDefinition<Typed>,
  args: readonly Value[],
  dropConstants: boolean,
): CompiledFunction {
  // Outside of the log density, the result does not depend on the phase.
  const phase = lowering.differentiates ? lowering.scope.phase : 'values';
  const family = [callee.id, phase, dropConstants].join(' ');
  const variants = lowering.called.variants.get(family) ?? 0;
  const isGeneral = variants >= DISTINGUISHED_VARIANTS && !dropConstants && callee.suffix !== 'lp';
  const levels = args.map(({ level }, i) => (isGeneral && !definition.parameters[i].dataOnly ? 'autodiff' : level));
  const key = [family, ...levels].join(' ');
  const known = lowering.called.compiled.get(key);
  if (known !== undefined) return known;
  if (variants >= MAX_VARIANTS) {
    const count = `${callee.name} is called with more than ${MAX_VARIANTS} combinations of data and parameter arguments`;
    const right = 'Pass parameters as the same arguments in every call, or as fewer arguments.';
    throw new Unsupported(span, `${count}, and each is compiled separately. ${right}`);
  }
  lowering.called.variants.set(family, variants + 1);
  const result = callee.result.kind === 'void' ? null : new Cell(lowering.builder, callee.result, 'result');
  const compiled: CompiledFunction = { id: lowering.builder.names.fresh() };
  lowering.called.compiled.set(key, compiled);
  const { compiling } = lowering.called;
  const { scope } = lowering;
  const write = (): void => {
    lowering.within(scope, () => lowerFunction(lowering, compiled, result, callee, definition, levels, dropConstants));
  };
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
  const parameters = levels.map(
    (_, i) => new Cell(builder, callee.parameters[i].type, definition.parameters[i].name.name),
  );
  const variables = parameters.flatMap((cell) => cell.variables);
  for (const variable of variables) if (variable.kind === 'local') lowering.known.stable.add(variable);
  const frame: Frame = {
    function: callee,
    level: levels.includes('autodiff') ? 'autodiff' : 'data',
    dropConstants,
    leave: (e) => {
      if (e !== null) result?.assign(promoteValue(lowering.expression(e), callee.result));
      builder.exit(FUNCTION_LABEL);
    },
  };
  const { callers } = builder;
  builder.callers = [];
  const body = lowering.keepingBindings(() => {
    for (const [i, cell] of parameters.entries()) {
      bindParameter(lowering, definition.parameters[i].name, cell.value(levels[i]));
    }
    return builder.capture(() => lowering.within({ frame, loops: [] }, () => lowering.statements(bodyOf(definition))));
  });
  builder.callers = callers;
  lowering.called.lowered.push({
    id,
    name: callee.name,
    parameters: variables,
    results: result?.variables ?? [],
    body,
  });
}
