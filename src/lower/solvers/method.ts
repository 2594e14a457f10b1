import { checkOwnFunctions, type TypedFunctions } from '../../check/check.js';
import type { Typed, UserFunction } from '../../check/typed.js';
import { FUNCTIONS } from '../../functions/table.js';
import { scalar } from '../../ir/builder.js';
import { int } from '../../ir/expressions.js';
import type { Value } from '../../ir/value.js';
import type { AutodiffLevel } from '../../language/types.js';
import { DETACHED, HAS_SECOND_DERIVATIVES, type Method, SOLVER_SOURCES } from '../../solvers/method.js';
import type { FunctionDefinition } from '../../syntax/ast.js';
import { parseFunctions } from '../../syntax/parse.js';
import type { Lowering } from '../lowering.js';
import type { GivenFunction } from '../scope.js';
import { inlineCall } from '../user-functions.js';
import { detached } from '../values.js';

/** Identifiers of a method's variables and functions begin at multiples of this; a program has fewer. */
const IDENTIFIERS = 2 ** 24;

const methods = new Map<Method, TypedFunctions>();

function typed(method: Method): TypedFunctions {
  const known = methods.get(method);
  if (known !== undefined) return known;
  const name = `${method}.stanfunctions`;
  const parsed = parseFunctions({ name, text: SOLVER_SOURCES.get(name) ?? '' }, SOLVER_SOURCES);
  if ('diagnostics' in parsed) throw new Error(`${name}: ${parsed.diagnostics[0].message}`);
  const functions = checkOwnFunctions(parsed.program, FUNCTIONS, (methods.size + 1) * IDENTIFIERS);
  methods.set(method, functions);
  return functions;
}

export interface MethodCall {
  readonly method: Method;
  /** The entry function of its source. */
  readonly entry: string;
  readonly args: readonly Value[];
  /** The functions that the source declares but does not define. */
  readonly given: Readonly<Record<string, GivenFunction>>;
  /** Autodiff if the arguments or the results of given functions may depend on parameters. */
  readonly level: AutodiffLevel;
}

/**
 * Lowers a call of a method in place. Its statements get the location of the solver's call; statements of given functions keep their own. A
 * given function may call the same method again.
 */
export function callMethod(lowering: Lowering, { method, entry, args, given, level }: MethodCall): Value {
  const functions = typed(method);
  lowering.define(functions);
  const { isInSolver, given: outer } = lowering.scope;
  const constant: GivenFunction = ([x]) => detached(x);
  const isTwice: GivenFunction = () => scalar(int(lowering.secondDerivatives ? 1 : 0), 'data');
  const outside = (call: GivenFunction): GivenFunction => {
    return (values) => lowering.within({ isInSolver }, () => call(values));
  };
  const inside = new Map([
    ...outer,
    ...functions.declared.flatMap(({ id, name }) => {
      if (name === DETACHED) return [[id, constant] as const];
      if (name === HAS_SECOND_DERIVATIVES) return [[id, isTwice] as const];
      return name in given ? [[id, outside(given[name])] as const] : [];
    }),
  ]);
  const { callee, definition } = entryOf(functions, entry);
  return lowering.keepingBindings(() =>
    lowering.within({ given: inside, isInSolver: true }, () =>
      inlineCall(lowering, { callee, definition, args, level, dropConstants: false }),
    ),
  );
}

function entryOf(
  { functions }: TypedFunctions,
  entry: string,
): { readonly callee: UserFunction; readonly definition: FunctionDefinition<Typed> } {
  const found = functions.find(({ function: { name } }) => name === entry);
  if (found === undefined) throw new Error(`There is no function ${entry}`);
  return { callee: found.function, definition: found.definition };
}
