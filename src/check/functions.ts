import { isVariadicName } from '../language/higher-order.js';
import { isDiscrete } from '../language/promotion.js';
import type { Signature } from '../language/signature.js';
import { isConditionalName, isUnnormalizedName, suffixOf } from '../language/suffixes.js';
import { arrayOf, type FunctionParameter, sameType, type Type } from '../language/types.js';
import type { BlockStatement, FunctionDefinition, ReturnType, UnsizedType, Untyped } from '../syntax/ast.js';
import { type Context, type Environment, refuse } from './environment.js';
import * as messages from './messages.js';
import { checkFreshVariable, checkName } from './names.js';
import { checkBlock } from './statements.js';
import type { Typed, UserFunction } from './typed.js';

type Definition = FunctionDefinition<Untyped>;

/** All functions of the block, by the node that declares them. A definition and its forward declaration share one function. */
export type DeclaredFunctions = ReadonlyMap<Definition, UserFunction>;

/** Declares all functions of a program before any body is checked, so that they may call each other. */
export function declareFunctions(environment: Environment, statements: readonly Definition[]): DeclaredFunctions {
  const declared = new Map<Definition, UserFunction>();
  const undefinedYet = new Set<UserFunction>();
  for (const node of statements) {
    const forward = findForward(environment, undefinedYet, node);
    if (forward !== undefined) {
      if (node.body === undefined) refuse(node.span, messages.functionRedeclared(node.name.name));
      undefinedYet.delete(forward);
      checkFreshFunction(environment, node);
      declared.set(node, forward);
      continue;
    }
    const added = newFunction(node, environment.firstId + new Set(declared.values()).size);
    checkUnique(environment, node, added);
    checkFreshFunction(environment, node);
    environment.setFunctions(added.name, [added, ...environment.functions(added.name)]);
    declared.set(node, added);
    if (node.body === undefined) undefinedYet.add(added);
  }
  return declared;
}

/** Warns about forward declarations, which Stan no longer requires. */
export function warnOfForwards(environment: Environment, declared: DeclaredFunctions): void {
  const defined = definedFunctions(declared);
  for (const [node, userFunction] of declared) {
    if (node.body === undefined && defined.has(userFunction)) {
      environment.deprecate(node.name.span, messages.forwardNotNeeded());
    }
  }
}

function definedFunctions(declared: DeclaredFunctions): ReadonlySet<UserFunction> {
  return new Set([...declared].filter(([node]) => node.body !== undefined).map(([, userFunction]) => userFunction));
}

/** Rejects a program with functions that are declared but never defined. */
export function checkAllDefined(declared: DeclaredFunctions): void {
  const defined = definedFunctions(declared);
  const missing = [...declared.values()]
    .filter((f) => !defined.has(f))
    .sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : a.id - b.id));
  if (missing.length > 0) refuse(missing[0].declaredAt, messages.functionWithoutBody(missing[0].name));
}

function newFunction(node: Definition, id: number): UserFunction {
  const { name } = node.name;
  return {
    id,
    name,
    parameters: parametersOf(node),
    result: typeOf(node.returnType),
    suffix: suffixOf(name),
    declaredAt: node.name.span,
  };
}

function parametersOf(node: Definition): FunctionParameter[] {
  return node.parameters.map(({ type, dataOnly }) => ({ type: typeOf(type), level: dataOnly ? 'data' : 'autodiff' }));
}

function typeOf(node: ReturnType | UnsizedType): Type {
  switch (node.kind) {
    case 'array':
      return arrayOf(typeOf(node.element), node.dimensions);
    case 'tuple':
      return { kind: 'tuple', elements: node.elements.map(typeOf) };
    default:
      return { kind: node.kind };
  }
}

function findForward(
  environment: Environment,
  undefinedYet: ReadonlySet<UserFunction>,
  node: Definition,
): UserFunction | undefined {
  const parameters = parametersOf(node);
  const result = typeOf(node.returnType);
  return environment
    .functions(node.name.name)
    .find(
      (candidate) =>
        undefinedYet.has(candidate) &&
        sameType(candidate.result, result) &&
        hasTypes(candidate, parameters) &&
        candidate.parameters.every(({ level }, i) => level === parameters[i].level),
    );
}

function hasTypes({ parameters }: Pick<Signature, 'parameters'>, types: readonly FunctionParameter[]): boolean {
  return parameters.length === types.length && parameters.every(({ type }, i) => sameType(type, types[i].type));
}

function checkUnique(environment: Environment, { span }: Definition, added: UserFunction): void {
  const { name, parameters, result } = added;
  const type: Type = { kind: 'function', parameters, result };
  const own = environment.functions(name).find((other) => hasTypes(other, parameters));
  const previous = own ?? environment.library.lookup(name).find((other) => hasTypes(other, parameters));
  if (previous === undefined) return;
  if (!sameType(previous.result, result)) refuse(span, messages.overloadByResult(name, previous.result));
  if (own === undefined) refuse(span, messages.libraryFunctionRedefined(name, type));
  refuse(span, messages.functionRedefined(name, type));
}

function checkFreshFunction(environment: Environment, { name: { name, span } }: Definition): void {
  if (isVariadicName(name)) refuse(span, messages.nameNotOverloadable(name));
  if (isUnnormalizedName(name)) refuse(span, messages.functionUnnormalized(name));
  if (environment.variable(name) !== undefined) refuse(span, messages.nameInUse(name));
}

/** Types a function declared by `declareFunctions`. */
export function checkFunction(
  context: Context,
  node: Definition,
  userFunction: UserFunction,
): FunctionDefinition<Typed> {
  const { environment } = context;
  const { name, parameters } = node;
  for (const parameter of parameters) checkName(parameter.name.name, parameter.name.span);
  checkName(name.name, name.span);
  checkProbabilityFunction(node, userFunction);
  for (const parameter of parameters) checkFreshVariable(environment, parameter.name);
  checkDistinctParameters(node);
  const body = environment.scoped(() => {
    for (const [i, parameter] of parameters.entries()) {
      environment.declare(
        parameter.name,
        userFunction.parameters[i].type,
        'functions',
        'parameter',
        !parameter.dataOnly,
      );
    }
    return node.body && checkBody({ ...context, enclosing: userFunction }, node, node.body, userFunction);
  });
  const { body: _, ...rest } = node;
  return body === undefined ? rest : { ...rest, body };
}

function checkBody(
  context: Context,
  { span }: Definition,
  body: BlockStatement,
  { result }: UserFunction,
): BlockStatement<Typed> {
  const { node, flow } = checkBlock(context, body);
  if (result.kind !== 'void' && flow !== 'leaves') refuse(span, messages.missingReturn());
  return node;
}

/** Checks that densities and masses return a real and have outcomes of the right type. */
function checkProbabilityFunction({ name, span }: Definition, { parameters, result }: UserFunction): void {
  if (isConditionalName(name.name) && result.kind !== 'real') refuse(span, messages.probabilityNotReal(result));
  const outcome = parameters[0]?.type;
  if (name.name.endsWith('_lpdf') && (outcome === undefined || isDiscrete(outcome))) {
    refuse(span, messages.densityOfInt(outcome));
  }
  if (name.name.endsWith('_lpmf') && (outcome === undefined || !isDiscrete(outcome))) {
    refuse(span, messages.massOfReal(outcome));
  }
}

function checkDistinctParameters({ parameters, span }: Definition): void {
  const names = parameters.map(({ name }) => name.name);
  const repeated = names.filter((name, i) => names.indexOf(name) !== i).sort();
  if (repeated.length > 0) refuse(span, messages.duplicateParameter(repeated[0]));
}
