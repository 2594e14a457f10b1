import { isFunctionType, isRealScalar } from '../language/promotion.js';
import type { FunctionParameter, Type } from '../language/types.js';
import { rankOf, showParameter, showType } from '../language/types.js';
import { parametersMarkup, quote, showMarkup as show } from './layout.js';

/** What the checker says, in stanc's words, as markup for `layout`; warnings are plain text. */

const found = (type: Type) => `@ Instead found type ${show(type)}.`;
const didYouMean = (name: string | undefined) => (name === undefined ? '' : `@ Did you mean ${quote(name)}?`);

// ---------------------------------------------------------------- names

export const nameInUse = (name: string) => `Identifier ${quote(name)} is already in use.`;
export const nameReserved = (name: string) => `Identifier ${quote(name)} clashes with reserved keyword.`;
export const nameNotOverloadable = (name: string) =>
  `Identifier ${quote(name)} clashes with a non-overloadable Stan Math library function.`;
export const nameUnnormalized = (name: string) =>
  `Identifier ${quote(name)} has a _lupdf/_lupmf suffix, which is only allowed for functions.`;
export const nameUnknown = (name: string, nearest: string | undefined) =>
  `@[Identifier ${quote(name)} not in scope.${didYouMean(nearest)}@]`;
export const duplicateParameter = (name: string) =>
  `@[All function arguments must have distinct identifiers.@ Argument ${quote(name)} is duplicated.@]`;

// ---------------------------------------------------------------- expressions

const oneOf = (types: readonly string[]) =>
  types.length === 1
    ? types[0]
    : types.length === 2
      ? `${types[0]} or ${types[1]}`
      : `${types.slice(0, -1).join(',@ ')},@ or ${types[types.length - 1]}`;

export const intExpected = (what: string, type: Type) => `@[${what} must be of type int.${found(type)}@]`;
export const intOrRealExpected = (what: string, type: Type) => `@[${what} must be of type int or real.${found(type)}@]`;
export const tupleExpected = (what: string, type: Type) => `@[${what} must be a tuple.${found(type)}@]`;
export const scalarOrTypeExpected = (what: string, expected: Type, type: Type) =>
  expected.kind === 'int' || expected.kind === 'real' || expected.kind === 'complex'
    ? `@[${what} must be a scalar.${found(type)}@]`
    : `@[${what} must be a scalar or of type ${show(expected)}.${found(type)}@]`;
export const indexExpected = (type: Type) =>
  `@[Index must be of type int or array[] int or must be a range (int:int).${found(type)}@]`;
export const incrementExpected = (type: Type) => `@[A (container of) real or int was expected.${found(type)}@]`;
export const loopContainerExpected = (type: Type) =>
  `@[Foreach-loop must be over array, vector,@ row_vector,@ or matrix.${found(type)}@]`;
export const mixedArray = (expected: Type, type: Type) =>
  `Array expression must have entries of consistent type. Expected ${show(expected)} but found ${show(type)}.`;
export const badRowVector = (type: Type) =>
  `@[Row vector expression must have all ${oneOf(['int', 'real', 'complex'])} entries.${found(type)}@]`;
export const badMatrix = (type: Type) =>
  `@[Matrix expression must have all ${oneOf(['row_vector', 'complex_row_vector'])} entries.${found(type)}@]`;
export const intTooLarge = () => 'Integer literal cannot be larger than 2_147_483_647.';
export const slotOutOfRange = (slots: number, slot: number) =>
  `Tried to access index ${slot} for a tuple of length ${slots}.@ Only indices between 1 and ${slots} are valid.`;
export const notATuple = (type: Type) => `Tried to index a non-tuple type. Expression has type ${show(type)}.`;
export const notIndexable = (type: Type, indices: number) =>
  isRealScalar(type)
    ? `Tried to index a scalar type. Expression has type ${show(type)}.`
    : `Too many indices. Expression only has ${rankOf(type)} dimensions, but received ${indices} indices.`;
export const badConditional = (condition: Type, consequence: Type, alternative: Type) => {
  if (condition.kind !== 'int') {
    return `@[Condition in ternary expression must be type int.${found(condition)}@]`;
  }
  return isFunctionType(consequence)
    ? `Ternary expression cannot have a function type: ${show(consequence)}`
    : `Type mismatch in ternary expression, expression when true is: ${show(consequence)}; expression when false is: ${show(alternative)}`;
};
export const badInfix = (operator: string, signatures: string, left: Type, right: Type) =>
  `Ill-typed arguments supplied to infix operator ${operator}. Available signatures: ${signatures}@[<h>Instead supplied arguments of incompatible type: ${show(left)}, ${show(right)}.@]`;
export const badPrefix = (operator: string, signatures: string, operand: Type) =>
  `Ill-typed arguments supplied to prefix operator ${operator}. Available signatures: ${signatures}@[<h>Instead supplied argument of incompatible type: ${show(operand)}.@]`;
export const badPostfix = (operator: string, signatures: string, operand: Type) =>
  `Ill-typed arguments supplied to postfix operator ${operator}. Available signatures: ${signatures}\nInstead supplied argument of incompatible type: ${show(operand)}.`;
export const functionNotPrintable = () => 'Functions cannot be printed.';

// ---------------------------------------------------------------- calls

export const conditionalNotAllowed = () =>
  text(
    'Only functions with names ending in _lpdf, _lupdf, _lpmf, _lupmf, _cdf, _lcdf, _lccdf can make use of conditional notation.',
  );
export const barRequired = () =>
  text(
    'Probability functions with suffixes _lpdf, _lupdf, _lpmf, _lupmf, _cdf, _lcdf and _lccdf, require a vertical bar (|) between the first two arguments.',
  );
export const rngInSize = () => 'Random number generators are not allowed in top level size declarations.';
export const rngNotAllowed = () =>
  text(
    'Random number generators are only allowed in transformed data block, generated quantities block or user-defined functions with names ending in _rng.',
  );
export const unnormalizedNotAllowed = () =>
  text(
    'Functions with names ending in _lupdf and _lupmf can only be used in the model block or user-defined functions with names ending in _lpdf or _lpmf.',
  );
export const targetNotAllowed = () => 'Target can only be accessed in the model block or in functions ending with _lp.';
export const jacobianNotAllowed = () =>
  'The jacobian adjustment can only be applied in the transformed parameters block or in functions ending with _jacobian';
export const returningButVoid = (name: string) =>
  `A returning function was expected but a non-returning function ${quote(name)} was supplied.`;
export const voidButReturning = (name: string) =>
  `A non-returning function was expected but a returning function ${quote(name)} was supplied.`;
export const returningButValue = (name: string) =>
  `A returning function was expected but a non-function value ${quote(name)} was supplied.`;
export const voidButValue = (name: string) =>
  `A non-returning function was expected but a non-function value ${quote(name)} was supplied.`;
export const returningButUnknown = (name: string, nearest: string | undefined) =>
  `@[A returning function was expected but an undeclared identifier ${quote(name)} was supplied.${didYouMean(nearest)}@]`;
export const voidButUnknown = (name: string, nearest: string | undefined) =>
  `@[A non-returning function was expected but an undeclared identifier ${quote(name)} was supplied.${didYouMean(nearest)}@]`;
export const notImplementedFor = (family: string, suffix: string) =>
  `Function ${quote(`${family}_${suffix}`)} is not implemented for distribution ${quote(family)}.`;
export const otherSuffixFor = (family: string, suffix: string, right: string) =>
  `Function ${quote(`${family}_${suffix}`)} is not implemented for distribution ${quote(family)}, use ${quote(`${family}_${right}`)} instead.`;
export const ambiguousCall = (
  name: string,
  args: readonly Type[] | undefined,
  signatures: readonly { readonly parameters: readonly FunctionParameter[]; readonly result: Type }[],
) => {
  const which = args === undefined ? 'This' : `For args @[(${args.map(show).join(',@ ')})@], this`;
  const list = signatures.map((s) => `@[<hov>(@[<hov>${parametersMarkup(s.parameters)}@]) => ${show(s.result)}@]`);
  return `No unique minimum promotion found for function ${quote(name)}.@ Overloaded functions must not have multiple equally valid promotion paths.@ ${which} function has several:@ @[<v>${list.join('@,')}@]@ Consider defining a new signature for the exact types needed or@ re-thinking existing definitions.`;
};

// ---------------------------------------------------------------- statements

export const badAssignment = (target: Type, value: Type) =>
  `@[Ill-typed assignment statement.@ Expected the right hand side to have a type matching the destination (${show(target)}).${found(value)}@]`;
export const badCompoundAssignment = (operator: string, target: Type, value: Type, wanted: readonly Type[]) =>
  wanted.length === 0
    ? `@[Ill-typed assignment operator ${operator}=.@ There are no valid right hand sides for the given left hand side (${show(target)}).@]`
    : `@[Ill-typed assignment operator ${operator}=.@ For the given left hand side (${show(target)}), expected the right hand side to have type@ ${oneOf(wanted.map(show))}.${found(value)}@]`;
export const assignToReadOnly = (name: string) =>
  `Cannot assign to function argument or loop identifier ${quote(name)}.`;
export const assignToGlobal = (name: string, place: string) =>
  `Cannot assign to global variable ${quote(name)} declared previously in ${place}.`;
export const assignFunction = (type: Type, name: string) =>
  `Cannot assign a function type (${show(type)}) to variable ${quote(name)}.`;
export const assignToNestedMulti = () => 'Left hand side of an assignment cannot have nested multi-indexing.';
export const assignedTwice = (places: readonly string[]) =>
  `@[<v2>The same value cannot be assigned to multiple times in one assignment:@ @[${places.join(',@ ')}@]@]`;
export const assignedAndRead = (names: readonly string[]) =>
  `@[<v2>The same variable cannot be both assigned to and read from on the left hand side of an assignment:@ @[${names.join(',@ ')}@]@]`;
export const tildeWithSuffix = () =>
  '~ statement should refer to a distribution without its "_lpdf/_lupdf" or "_lpmf/_lupmf" suffix.\nFor example, "target += normal_lpdf(y, 0, 1)" should become "y ~ normal(0, 1)."';
export const tildeWithCumulative = (name: string) => {
  const right = name.endsWith('_ccdf') ? name.replace(/_ccdf$/, '_lccdf') : name.replace(/_cdf$/, '_lcdf');
  return `CDF and CCDF functions may not be used with distribution notation (~). Use target += ${right}(...) instead.`;
};
export const noSuchDistribution = (name: string, isInt: boolean) =>
  isInt
    ? `Ill-typed arguments to distribution statement (~). No function ${quote(`${name}_lpmf`)} or ${quote(`${name}_lpdf`)} was found when looking for distribution ${quote(name)}.`
    : `Ill-typed arguments to ${quote('~')}-statement. No function ${quote(`${name}_lpdf`)} was found when looking for distribution ${quote(name)}.`;
export const truncationUndefined = (args: readonly FunctionParameter[]) =>
  `Truncation is only defined if distribution has _lcdf and _lccdf functions implemented with appropriate signature.\nNo matching signature for arguments: @[(${parametersMarkup(args)})@]`;
export const breakOutsideLoop = () => 'Break statements may only be used in loops.';
export const continueOutsideLoop = () => 'Continue statements may only be used in loops.';
export const valueReturnOutside = () => 'Expression return statements may only be used inside non-void definitions.';
export const emptyReturnOutside = () => 'Empty return statements may only be used inside void function definitions.';
export const badReturn = (declared: Type, type: Type) =>
  `Invalid return statement. Function is declared to return ${show(declared)}, but this statement returns ${show(type)} instead.`;

// ---------------------------------------------------------------- declarations

export const sizeNotData = () => 'Non-data variables are not allowed in top level size declarations.';
export const realBoundOfInt = () => '@[Bounds of integer variable must be of type int.@ Instead found type real.@]';
export const complexConstraint = () => 'Complex types do not support transformations.';
export const intParameter = (isTransformed: boolean) =>
  isTransformed ? 'Transformed parameters cannot be integers.' : 'Parameters cannot be integers.';

// ---------------------------------------------------------------- functions

const PROBABILITY_RESULT =
  'Real return type required for probability functions ending in _lpdf, _lupdf, _lpmf, _lupmf, _cdf, _lcdf, or _lccdf.';

export const overloadByResult = (name: string, previous: Type) =>
  `Function ${quote(name)} cannot be overloaded by return type only. Previously used return type ${show(previous)}`;
export const functionRedefined = (name: string, type: Type) =>
  `Function ${quote(name)} has already been declared for signature ${show(type)}`;
export const libraryFunctionRedefined = (name: string, type: Type) =>
  `Function ${quote(name)} is already declared in the Stan Math library with signature ${show(type)}`;
export const functionRedeclared = (name: string) =>
  `Function ${quote(name)} has already been declared. A definition is expected.`;
export const functionWithoutBody = (name: string) =>
  `Function ${quote(name)} is declared without specifying a definition.`;
export const bodyWithoutBraces = () => 'Function definitions must be wrapped in curly braces.';
export const functionUnnormalized = (name: string) =>
  `@[${quote(name)} is an invalid user-defined function name.@ User-defined probability mass and density functions must@ be defined as normalized@ (function names should end@ with@ _lpdf/_lpmf not _lupdf/_lupmf).@]`;
export const probabilityNotReal = (result: Type) =>
  result.kind === 'void'
    ? `@[${PROBABILITY_RESULT}@ Instead found a void function.@]`
    : `@[${PROBABILITY_RESULT}${found(result)}@]`;
export const densityOfInt = (type: Type | undefined) =>
  `@[Probability density functions require real variates (first argument).${type === undefined ? '' : found(type)}@]`;
export const massOfReal = (type: Type | undefined) =>
  `@[Probability mass functions require integer variates (first argument).${type === undefined ? '' : found(type)}@]`;
export const missingReturn = () => 'Function bodies must contain a return statement of correct type in every branch.';

// ---------------------------------------------------------------- not compiled here

export const unsupportedFunction = (name: string) => `The function ${quote(name)} is not supported yet.`;

// ---------------------------------------------------------------- warnings

export const lpInTransformedParameters = () =>
  'Using _lp functions in transformed parameters is deprecated and will be disallowed in Stan 2.40. Use an _jacobian function instead, as this allows change of variable adjustments which are conditionally enabled by the algorithms.';
export const jacobianWithoutParameters = (alternative: string | undefined) =>
  `Calling a _jacobian function without any parameter arguments still applies the Jacobian adjustments, ensure this is intentional!${alternative === undefined ? '' : ` Consider using ${alternative} instead.`}`;
export const assignedItself = () => 'Assignment of variable to itself.';
export const declaredAsItself = () =>
  'Assignment of variable to itself during declaration. This is almost certainly a bug.';
export const unreachable = () =>
  'Unreachable statement (following a reject, fatal_error, break, continue, or return) found, is this intended?';

/** Running text that may break at every blank. */
function text(words: string): string {
  return words.replaceAll(' ', '@ ');
}
