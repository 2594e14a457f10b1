import { LAPLACE_CONTROLS, laplaceLikelihood as laplaceLikelihoodParameters } from '../language/higher-order.js';
import type { Argument } from '../language/overloads.js';
import { isFunctionType, isRealScalar } from '../language/promotion.js';
import type { FunctionParameter, Type } from '../language/types.js';
import { rankOf } from '../language/types.js';
import { message } from '../source/diagnostic.js';
import { parametersMarkup, quote, showMarkup as show } from './layout.js';
import { argumentWord, DATA_ONLY, describeMisfits } from './mismatch-text.js';

/** Messages of the checker, with stanc's texts, as markup for `layout`; those of warnings are plain text. */

const found = (type: Type) => `@ Instead found type ${show(type)}.`;
const didYouMean = (name: string | undefined) => (name === undefined ? '' : `@ Did you mean ${quote(name)}?`);

export const nameInUse = message('name-in-use', (name: string) => `Identifier ${quote(name)} is already in use.`);
export const nameOfModel = message(
  'name-of-model',
  (name: string) => `Identifier ${quote(name)} clashes with model name.`,
);
export const nameReserved = message(
  'reserved-name',
  (name: string) => `Identifier ${quote(name)} clashes with reserved keyword.`,
);
export const nameNotOverloadable = message(
  'not-overloadable',
  (name: string) => `Identifier ${quote(name)} clashes with a non-overloadable Stan Math library function.`,
);
export const nameUnnormalized = message(
  'unnormalized-name',
  (name: string) => `Identifier ${quote(name)} has a _lupdf/_lupmf suffix, which is only allowed for functions.`,
);
export const nameUnknown = message(
  'unknown-name',
  (name: string, nearest: string | undefined) => `@[Identifier ${quote(name)} not in scope.${didYouMean(nearest)}@]`,
  (_, nearest) => nearest,
);
export const duplicateParameter = message(
  'duplicate-parameter',
  (name: string) =>
    `@[All function arguments must have distinct identifiers.@ Argument ${quote(name)} is duplicated.@]`,
);

const oneOf = (types: readonly string[]) =>
  types.length === 1
    ? types[0]
    : types.length === 2
      ? `${types[0]} or ${types[1]}`
      : `${types.slice(0, -1).join(',@ ')},@ or ${types[types.length - 1]}`;

export const intExpected = message(
  'int-expected',
  (what: string, type: Type) => `@[${what} must be of type int.${found(type)}@]`,
);
export const intOrRealExpected = message(
  'int-or-real-expected',
  (what: string, type: Type) => `@[${what} must be of type int or real.${found(type)}@]`,
);
export const tupleExpected = message(
  'tuple-expected',
  (what: string, type: Type) => `@[${what} must be a tuple.${found(type)}@]`,
);
export const scalarOrTypeExpected = message('scalar-or-type-expected', (what: string, expected: Type, type: Type) =>
  expected.kind === 'int' || expected.kind === 'real' || expected.kind === 'complex'
    ? `@[${what} must be a scalar.${found(type)}@]`
    : `@[${what} must be a scalar or of type ${show(expected)}.${found(type)}@]`,
);
export const indexExpected = message(
  'index-expected',
  (type: Type) => `@[Index must be of type int or array[] int or must be a range (int:int).${found(type)}@]`,
);
export const incrementExpected = message(
  'increment-expected',
  (type: Type) => `@[A (container of) real or int was expected.${found(type)}@]`,
);
export const loopContainerExpected = message(
  'loop-container-expected',
  (type: Type) => `@[Foreach-loop must be over array, vector,@ row_vector,@ or matrix.${found(type)}@]`,
);
export const mixedArray = message(
  'ill-typed-array',
  (expected: Type, type: Type) =>
    `Array expression must have entries of consistent type. Expected ${show(expected)} but found ${show(type)}.`,
);
export const badRowVector = message(
  'ill-typed-row-vector',
  (type: Type) => `@[Row vector expression must have all ${oneOf(['int', 'real', 'complex'])} entries.${found(type)}@]`,
);
export const badMatrix = message(
  'ill-typed-matrix',
  (type: Type) =>
    `@[Matrix expression must have all ${oneOf(['row_vector', 'complex_row_vector'])} entries.${found(type)}@]`,
);
export const intTooLarge = message('int-too-large', () => 'Integer literal cannot be larger than 2_147_483_647.');
export const slotOutOfRange = message(
  'slot-out-of-range',
  (slots: number, slot: number) =>
    `Tried to access index ${slot} for a tuple of length ${slots}.@ Only indices between 1 and ${slots} are valid.`,
);
export const notATuple = message(
  'not-a-tuple',
  (type: Type) => `Tried to index a non-tuple type. Expression has type ${show(type)}.`,
);
export const notIndexable = message('not-indexable', (type: Type, indices: number) =>
  isRealScalar(type)
    ? `Tried to index a scalar type. Expression has type ${show(type)}.`
    : `Too many indices. Expression only has ${rankOf(type)} dimensions, but received ${indices} indices.`,
);
export const badConditional = message(
  'ill-typed-conditional',
  (condition: Type, consequence: Type, alternative: Type) => {
    if (condition.kind !== 'int') {
      return `@[Condition in ternary expression must be type int.${found(condition)}@]`;
    }
    return isFunctionType(consequence)
      ? `Ternary expression cannot have a function type: ${show(consequence)}`
      : `Type mismatch in ternary expression, expression when true is: ${show(consequence)}; expression when false is: ${show(alternative)}`;
  },
);
export const badInfix = message(
  'ill-typed-operator',
  (operator: string, signatures: string, left: Type, right: Type) =>
    `Ill-typed arguments supplied to infix operator ${operator}. Available signatures: ${signatures}@[<h>Instead supplied arguments of incompatible type: ${show(left)}, ${show(right)}.@]`,
);
export const badPrefix = message(
  'ill-typed-operator',
  (operator: string, signatures: string, operand: Type) =>
    `Ill-typed arguments supplied to prefix operator ${operator}. Available signatures: ${signatures}@[<h>Instead supplied argument of incompatible type: ${show(operand)}.@]`,
);
export const badPostfix = message(
  'ill-typed-operator',
  (operator: string, signatures: string, operand: Type) =>
    `Ill-typed arguments supplied to postfix operator ${operator}. Available signatures: ${signatures}\nInstead supplied argument of incompatible type: ${show(operand)}.`,
);
export const functionNotPrintable = message('function-not-printable', () => 'Functions cannot be printed.');

export const conditionalNotAllowed = message('bar-not-allowed', () =>
  text(
    'Only functions with names ending in _lpdf, _lupdf, _lpmf, _lupmf, _cdf, _lcdf, _lccdf can make use of conditional notation.',
  ),
);
export const barRequired = message('bar-required', () =>
  text(
    'Probability functions with suffixes _lpdf, _lupdf, _lpmf, _lupmf, _cdf, _lcdf and _lccdf, require a vertical bar (|) between the first two arguments.',
  ),
);
export const rngInSize = message(
  'rng-in-size',
  () => 'Random number generators are not allowed in top level size declarations.',
);
export const rngNotAllowed = message('rng-not-allowed', () =>
  text(
    'Random number generators are only allowed in transformed data block, generated quantities block or user-defined functions with names ending in _rng.',
  ),
);
export const unnormalizedNotAllowed = message(
  'unnormalized-not-allowed',
  (name: string, normalized: string) =>
    `@[Unnormalized probability functions such as ${quote(name)} can@ only be used in the model block or in user-defined functions with names@ ending in _lpdf or _lpmf.@ Did you mean ${quote(normalized)}?@]`,
  (_, normalized) => normalized,
);
export const targetNotAllowed = message(
  'target-not-allowed',
  () => 'Target can only be accessed in the model block or in functions ending with _lp.',
);
export const jacobianNotAllowed = message(
  'jacobian-not-allowed',
  () =>
    'The jacobian adjustment can only be applied in the transformed parameters block or in functions ending with _jacobian',
);
export const returningButVoid = message(
  'function-returns-nothing',
  (name: string) => `A returning function was expected but a non-returning function ${quote(name)} was supplied.`,
);
export const voidButReturning = message(
  'function-returns-value',
  (name: string) => `A non-returning function was expected but a returning function ${quote(name)} was supplied.`,
);
export const returningButValue = message(
  'not-a-function',
  (name: string) => `A returning function was expected but a non-function value ${quote(name)} was supplied.`,
);
export const voidButValue = message(
  'not-a-function',
  (name: string) => `A non-returning function was expected but a non-function value ${quote(name)} was supplied.`,
);
export const returningButUnknown = message(
  'unknown-function',
  (name: string, nearest: string | undefined) =>
    `@[A returning function was expected but an undeclared identifier ${quote(name)} was supplied.${didYouMean(nearest)}@]`,
  (_, nearest) => nearest,
);
export const voidButUnknown = message(
  'unknown-function',
  (name: string, nearest: string | undefined) =>
    `@[A non-returning function was expected but an undeclared identifier ${quote(name)} was supplied.${didYouMean(nearest)}@]`,
  (_, nearest) => nearest,
);
export const notImplementedFor = message(
  'unknown-suffix',
  (family: string, suffix: string) =>
    `Function ${quote(`${family}_${suffix}`)} is not implemented for distribution ${quote(family)}.`,
);
export const otherSuffixFor = message(
  'unknown-suffix',
  (family: string, suffix: string, right: string) =>
    `Function ${quote(`${family}_${suffix}`)} is not implemented for distribution ${quote(family)}, use ${quote(`${family}_${right}`)} instead.`,
  (family, _, right) => `${family}_${right}`,
);
export const ambiguousCall = message(
  'ambiguous-call',
  (
    name: string,
    args: readonly Type[] | undefined,
    signatures: readonly { readonly parameters: readonly FunctionParameter[]; readonly result: Type }[],
  ) => {
    const which = args === undefined ? 'This' : `For args @[(${args.map(show).join(',@ ')})@], this`;
    const list = signatures.map((s) => `@[<hov>(@[<hov>${parametersMarkup(s.parameters)}@]) => ${show(s.result)}@]`);
    return `No unique minimum promotion found for function ${quote(name)}.@ Overloaded functions must not have multiple equally valid promotion paths.@ ${which} function has several:@ @[<v>${list.join('@,')}@]@ Consider defining a new signature for the exact types needed or@ re-thinking existing definitions.`;
  },
);

export const badAssignment = message(
  'ill-typed-assignment',
  (target: Type, value: Type) =>
    `@[Ill-typed assignment statement.@ Expected the right hand side to have a type matching the destination (${show(target)}).${found(value)}@]`,
);
export const badCompoundAssignment = message(
  'ill-typed-assignment',
  (operator: string, target: Type, value: Type, wanted: readonly Type[]) =>
    wanted.length === 0
      ? `@[Ill-typed assignment operator ${operator}=.@ There are no valid right hand sides for the given left hand side (${show(target)}).@]`
      : `@[Ill-typed assignment operator ${operator}=.@ For the given left hand side (${show(target)}), expected the right hand side to have type@ ${oneOf(wanted.map(show))}.${found(value)}@]`,
);
export const assignToReadOnly = message(
  'assign-to-read-only',
  (name: string) => `Cannot assign to function argument or loop identifier ${quote(name)}.`,
);
export const assignToGlobal = message(
  'assign-to-global',
  (name: string, place: string) => `Cannot assign to global variable ${quote(name)} declared previously in ${place}.`,
);
export const assignFunction = message(
  'assign-function',
  (type: Type, name: string) => `Cannot assign a function type (${show(type)}) to variable ${quote(name)}.`,
);
export const assignToNestedMulti = message(
  'assign-to-nested-multi',
  () => 'Left hand side of an assignment cannot have nested multi-indexing.',
);
export const assignedTwice = message(
  'assigned-twice',
  (places: readonly string[]) =>
    `@[<v2>The same value cannot be assigned to multiple times in one assignment:@ @[${places.join(',@ ')}@]@]`,
);
export const assignedAndRead = message(
  'assigned-and-read',
  (names: readonly string[]) =>
    `@[<v2>The same variable cannot be both assigned to and read from on the left hand side of an assignment:@ @[${names.join(',@ ')}@]@]`,
);
export const tildeWithSuffix = message(
  'tilde-with-suffix',
  () =>
    '~ statement should refer to a distribution without its "_lpdf/_lupdf" or "_lpmf/_lupmf" suffix.\nFor example, "target += normal_lpdf(y, 0, 1)" should become "y ~ normal(0, 1)."',
);
export const tildeWithCumulative = message('tilde-with-cumulative', (name: string) => {
  const right = name.endsWith('_ccdf') ? name.replace(/_ccdf$/, '_lccdf') : name.replace(/_cdf$/, '_lcdf');
  return `CDF and CCDF functions may not be used with distribution notation (~). Use target += ${right}(...) instead.`;
});
export const noSuchDistribution = message('unknown-distribution', (name: string, isInt: boolean) =>
  isInt
    ? `Ill-typed arguments to distribution statement (~). No function ${quote(`${name}_lpmf`)} or ${quote(`${name}_lpdf`)} was found when looking for distribution ${quote(name)}.`
    : `Ill-typed arguments to ${quote('~')}-statement. No function ${quote(`${name}_lpdf`)} was found when looking for distribution ${quote(name)}.`,
);
export const truncationUndefined = message(
  'truncation-undefined',
  (args: readonly FunctionParameter[]) =>
    `Truncation is only defined if distribution has _lcdf and _lccdf functions implemented with appropriate signature.\nNo matching signature for arguments: @[(${parametersMarkup(args)})@]`,
);
export const breakOutsideLoop = message('break-outside-loop', () => 'Break statements may only be used in loops.');
export const continueOutsideLoop = message(
  'continue-outside-loop',
  () => 'Continue statements may only be used in loops.',
);
export const valueReturnOutside = message(
  'value-return-outside',
  () => 'Expression return statements may only be used inside non-void definitions.',
);
export const emptyReturnOutside = message(
  'empty-return-outside',
  () => 'Empty return statements may only be used inside void function definitions.',
);
export const badReturn = message(
  'ill-typed-return',
  (declared: Type, type: Type) =>
    `Invalid return statement. Function is declared to return ${show(declared)}, but this statement returns ${show(type)} instead.`,
);

export const sizeNotData = message(
  'size-not-data',
  (block: string) =>
    `Top level variable sizes must be variables from the (transformed) data block or functions thereof, but this variable was declared in the ${block} block.`,
);
export const realBoundOfInt = message(
  'real-bound-of-int',
  () => '@[Bounds of integer variable must be of type int.@ Instead found type real.@]',
);
export const complexConstraint = message('complex-constraint', () => 'Complex types do not support transformations.');
export const intParameter = message('int-parameter', (isTransformed: boolean) =>
  isTransformed ? 'Transformed parameters cannot be integers.' : 'Parameters cannot be integers.',
);

const PROBABILITY_RESULT =
  'Real return type required for probability functions ending in _lpdf, _lupdf, _lpmf, _lupmf, _cdf, _lcdf, or _lccdf.';

export const overloadByResult = message(
  'overload-by-result',
  (name: string, previous: Type) =>
    `Function ${quote(name)} cannot be overloaded by return type only. Previously used return type ${show(previous)}`,
);
export const functionRedefined = message(
  'function-redefined',
  (name: string, type: Type) => `Function ${quote(name)} has already been declared for signature ${show(type)}`,
);
export const libraryFunctionRedefined = message(
  'library-function-redefined',
  (name: string, type: Type) =>
    `Function ${quote(name)} is already declared in the Stan Math library with signature ${show(type)}`,
);
export const functionRedeclared = message(
  'function-redeclared',
  (name: string) => `Function ${quote(name)} has already been declared. A definition is expected.`,
);
export const functionWithoutBody = message(
  'function-without-body',
  (name: string) => `Function ${quote(name)} is declared without specifying a definition.`,
);
export const functionUnnormalized = message(
  'unnormalized-name',
  (name: string) =>
    `@[${quote(name)} is an invalid user-defined function name.@ User-defined probability mass and density functions must@ be defined as normalized@ (function names should end@ with@ _lpdf/_lpmf not _lupdf/_lupmf).@]`,
);
export const probabilityNotReal = message('probability-not-real', (result: Type) =>
  result.kind === 'void'
    ? `@[${PROBABILITY_RESULT}@ Instead found a void function.@]`
    : `@[${PROBABILITY_RESULT}${found(result)}@]`,
);
export const densityOfInt = message(
  'density-of-int',
  (type: Type | undefined) =>
    `@[Probability density functions require real variates (first argument).${type === undefined ? '' : found(type)}@]`,
);
export const massOfReal = message(
  'mass-of-real',
  (type: Type | undefined) =>
    `@[Probability mass functions require integer variates (first argument).${type === undefined ? '' : found(type)}@]`,
);
export const missingReturn = message(
  'missing-return',
  () => 'Function bodies must contain a return statement of correct type in every branch.',
);

export const reduceSumNotArray = message(
  'reduce-sum-not-array',
  (type: Type) => `The second argument to reduce_sum must be an array.${found(type)}`,
);
export const reduceSumSlice = message(
  'reduce-sum-slice',
  (allowed: readonly Type[], type: Type) =>
    `The inner type in reduce_sum array must be ${oneOf(allowed.map(show))}.${found(type)}`,
);
export const forwardedSignature = message(
  'forwarded-signature',
  (name: string, caller: string, detail: string) =>
    `Function ${quote(name)} does not have a valid signature for use in ${quote(caller)}:@ ${detail}`,
);
export const forwardedArguments = message(
  'forwarded-arguments',
  (name: string, caller: string, detail: string) =>
    `Cannot call ${quote(name)}@ with arguments forwarded from call to@ ${quote(caller)}:@ ${detail}`,
);
export const laplaceLikelihood = message(
  'laplace-likelihood',
  (name: string, expected: readonly FunctionParameter[], detail: string) =>
    `@[<v>Ill-typed arguments supplied to function ${quote(name)}@ for the likelihood:@ ${detail}@ Expected the arguments to start with:@ @[(${parametersMarkup(expected)})@]@]`,
);

/** The expected form of a call of a Laplace function. `isEarly` states that the likelihood could not be checked. */
export const laplaceUsage = message('laplace-usage', (name: string, given: readonly Argument[], isEarly: boolean) => {
  const checked = (laplaceLikelihoodParameters(name).length || 2) + 1;
  const info = isEarly
    ? text(
        'We were unable to start more in-depth checking. Please ensure you are passing enough arguments and that the first argument is a function.',
      )
    : `Typechecking failed after checking the first ${checked} arguments.@ Please ensure you are passing enough arguments and that the ${numeral(checked + 1)} is a function.`;
  return usage(name, given, info);
});
export const laplaceBlockSizeMissing = message('laplace-block-size', (name: string) =>
  usage(name, [], '@[<hov>Missing the hessian block size (data-only int) and remaining arguments.@]'),
);
export const laplaceBlockSize = message(
  'laplace-block-size',
  (name: string, type: Type, isData: boolean) =>
    `@[<hov>The hessian block size argument to ${quote(name)} must be a data-only int.${found(type)}${isData ? '' : `@ ${DATA_ONLY}`}@]`,
);
export const laplaceTooMany = message('laplace-usage', (name: string, count: number) => {
  const advice = name.includes('_tol')
    ? 'Only a single tuple of control parameters is expected.'
    : count === 1
      ? 'Did you mean to call the _tol version?'
      : 'Did you mean to call the _tol version with a tuple of these?';
  return `Received ${count} extra ${argumentWord(count)} at the end of the call to ${quote(name)}.@ ${advice}`;
});
export const laplaceControlsMissing = message(
  'laplace-controls',
  (name: string, count: number) =>
    `Missing control parameter tuple at the end of the call to ${quote(name)}.@ Expected a tuple of ${count} arguments for the control parameters.`,
);
export const laplaceControlsCount = message('laplace-controls', (name: string, expected: number, given: number) =>
  given === 0
    ? laplaceControlsMissing(name, expected).text
    : `@[<v>Received a tuple of ${given} control ${argumentWord(given)} at the end of the call to ${quote(name)}.@ Expected tuple of ${expected} arguments for the control parameters instead.@]`,
);
export const laplaceControlNotData = message(
  'laplace-control-type',
  (name: string, position: number) =>
    `@[<hov>The control parameters to ${quote(name)}@ must all be data-only,@ but the ${laplaceControl(position)} here is not.@ ${DATA_ONLY}@]`,
);
export const laplaceControlType = message(
  'laplace-control-type',
  (name: string, position: number, expected: Type, type: Type) =>
    `@[<hov>The ${laplaceControl(position)} to ${quote(name)}@ must be@ ${show(expected)}.${found(type)}@]`,
);
export const laplaceSolveNotData = message(
  'laplace-solve-not-data',
  (name: string) =>
    `@[<hov>All arguments to ${quote(name)} must be a data-only@ if used outside the generated quantities@ block.@ ${DATA_ONLY}@]`,
);
export const lacksSecondDerivatives = message(
  'lacks-second-derivatives',
  (name: string) =>
    `The function ${quote(name)}, called by this likelihood function,@ does not currently support higher-order derivatives, and@ cannot be used in an embedded Laplace approximation.`,
);

const CONTROLS = [
  'initial guess',
  'tolerance',
  'max_num_steps',
  'solver',
  'max_steps_line_search',
  'allow_fallthrough',
];

function laplaceControl(position: number): string {
  const place = ['first', 'second', 'third', 'fourth', 'fifth', 'sixth'][position - 1];
  return `${place} element of the control parameter tuple (${CONTROLS[position - 1]})`;
}

function usage(name: string, given: readonly Argument[], info: string): string {
  const own = laplaceLikelihoodParameters(name);
  const likelihood = own.length > 0 ? parametersMarkup(own) : '(vector, T_l...) => real,@ tuple(T_l...)';
  const controls = name.includes('_tol') ? `, ${parametersMarkup(LAPLACE_CONTROLS)}` : '';
  const received =
    given.length === 0
      ? ''
      : `@ However, we received the types:@ @[<hov 2>(${parametersMarkup(
          given.map(({ type, level }) => ({ type, level: level === 'data' ? 'data' : 'autodiff' })),
        )})@]`;
  return `@[<v>Ill-typed arguments supplied to function ${quote(name)}.@ The valid signature of this function is@ @[<hov 2>${name}(${likelihood},@ data int,@ (T_k...) => matrix,@ tuple(T_k...)${controls})@]${received}@ @[${info}@]@]`;
}

function numeral(n: number): string {
  return `${n}${['th', 'st', 'nd', 'rd'][n] ?? 'th'}`;
}

export const unsupportedFunction = message(
  'unsupported-function',
  (name: string) => `The function ${quote(name)} is not supported yet.`,
);

export const illTypedArguments = message('ill-typed-arguments', describeMisfits);

export const lpInTransformedParameters = message(
  'lp-deprecated',
  () =>
    'Using _lp functions in transformed parameters is deprecated and will be disallowed in Stan 2.40. Use an _jacobian function instead, as this allows change of variable adjustments which are conditionally enabled by the algorithms.',
);
export const jacobianWithoutParameters = message(
  'jacobian-without-parameters',
  (alternative: string | undefined) =>
    `Calling a _jacobian function without any parameter arguments still applies the Jacobian adjustments, ensure this is intentional!${alternative === undefined ? '' : ` Consider using ${alternative} instead.`}`,
);
export const assignedItself = message('assigned-itself', () => 'Assignment of variable to itself.');
export const declaredAsItself = message(
  'declared-as-itself',
  () => 'Assignment of variable to itself during declaration. This is almost certainly a bug.',
);
export const unreachable = message(
  'unreachable-statement',
  () => 'Unreachable statement (following a reject, fatal_error, break, continue, or return) found, is this intended?',
);

export const forwardNotNeeded = message(
  'needless-forward-declaration',
  () =>
    'Functions do not need to be declared before definition; all user defined function names are always in scope regardless of definition order.',
);
export const lkjCovDeprecated = message(
  'lkj-cov-deprecated',
  () =>
    'lkj_cov is deprecated and will be removed in Stan 3.0. Use lkj_corr with an independent lognormal distribution on the scales, see: https://mc-stan.org/docs/reference-manual/deprecations.html#lkj_cov-distribution',
);
export const odeDeprecated = message(
  'ode-deprecated',
  (name: string, replacement: string) =>
    `${name} is deprecated and will be removed in Stan 3.0. Use ${replacement} instead. The new interface is slightly different, see: https://mc-stan.org/users/documentation/case-studies/convert_odes.html`,
);

/** Running text that may break at every blank. */
function text(words: string): string {
  return words.replaceAll(' ', '@ ');
}
