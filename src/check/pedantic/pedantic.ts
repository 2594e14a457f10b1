import type { FunctionSignatures } from '../../language/overloads.js';
import { type Diagnostic, type Message, warningAt } from '../../source/diagnostic.js';
import { isBefore, type Position } from '../../source/span.js';
import type { TypedProgram } from '../typed.js';
import { boundsOf } from './bounds.js';
import { dependentArguments, dependentFlow } from './control-flow.js';
import { Dependencies } from './dependencies.js';
import { distributionsOf, distributionWarnings, unscaledConstants } from './distributions.js';
import { factorsOf, Priors } from './factors.js';
import { uninitializedVariables } from './initialization.js';
import { namesIn, type ParameterOutline, type ProgramOutline, type Step } from './outline.js';
import { outlineOf } from './programs.js';
import { simplifyOutline } from './reduction.js';
import * as sentences from './sentences.js';
import { nonlinearTildes, severalTildes } from './tildes.js';
import type { Warning } from './warning.js';

export interface PedanticOptions {
  /**
   * Whether all integer data count as sizes, as in stanc, so that a factor is not connected to them: a likelihood of counts then counts
   * as a prior. Otherwise, only those in sizes of variables do.
   */
  readonly integersAreSizes?: boolean;
}

/**
 * The warnings of stanc's pedantic mode for a valid program: likely mistakes, and constructs that make sampling difficult, in source order.
 * Source: Stan User's Guide, "Using the Stan compiler", "Pedantic mode".
 */
export function pedanticWarnings(
  program: TypedProgram,
  functions: FunctionSignatures,
  { integersAreSizes = true }: PedanticOptions = {},
): readonly Diagnostic[] {
  const outline = simplifyOutline(outlineOf(program), functions);
  const distributions = distributionsOf(outline);
  const density = new Dependencies({ kind: 'list', steps: outline.density });
  const data = dataOf(outline);
  const integers = new Set([...outline.data].filter(([, { isInt }]) => isInt).map(([name]) => name));
  const sizes = integersAreSizes ? integers : sizesAmong(integers, outline);
  const priors = new Priors(factorsOf(outline, density, data), data, sizes);
  const parameters = new Set(outline.parameters.map(({ name }) => name));
  const warnings: readonly Warning[] = [
    ...uninitializedVariables(outline).map(({ name, span }) => ({ span, message: sentences.uninitialized(name) })),
    ...unscaledConstants(distributions),
    ...severalTildes(outline),
    ...nonlinearTildes(outline),
    ...outline.parameters.flatMap((parameter) => parameterWarnings(parameter, priors)),
    ...dependentFlow(density, parameters).map(({ span, names }) => ({ span, message: sentences.dependentFlow(names) })),
    ...dependentArguments(density, outline.functions, parameters).map((found) => ({
      span: found.span,
      message: sentences.dependentFlowInside(found.functionName, found.argument, found.given, found.parameters),
    })),
    ...distributions.flatMap(distributionWarnings),
  ];
  return inOrder(warnings).map(({ span, message }) => warningAt(span, message));
}

/** The names that sizes of variables contain. */
function sizesAmong(names: ReadonlySet<string>, { prepare }: ProgramOutline): ReadonlySet<string> {
  const sizes = prepare.flatMap((step) =>
    step.kind === 'call' && step.call.callee.kind === 'builtin' && step.call.callee.name === 'size'
      ? step.call.arguments.flatMap(namesIn)
      : [],
  );
  return new Set(sizes.flatMap(({ name }) => (names.has(name) ? [name] : [])));
}

/** Variables of data and transformed data. */
function dataOf({ data, prepare }: ProgramOutline): ReadonlySet<string> {
  const declared = (step: Step): readonly string[] =>
    step.kind === 'declare' ? [step.name] : step.kind === 'list' ? step.steps.flatMap(declared) : [];
  return new Set([...data.keys(), ...prepare.flatMap(declared)]);
}

function parameterWarnings({ name, constraint, span }: ParameterOutline, priors: Priors): readonly Warning[] {
  const messages: Message[] = [];
  const { lower, upper } = boundsOf(constraint);
  if (typeof lower === 'number' && typeof upper === 'number') {
    const isUsual = upper === 1 && (lower === 0 || lower === -1);
    if (lower >= upper) messages.push(sentences.senselessBounds(name));
    else if (!isUsual) messages.push(sentences.hardConstraint(name));
  }
  const count = priors.count(name);
  if (count === undefined) messages.push(sentences.unusedParameter(name));
  else if (count === 0) messages.push(sentences.noPrior(name));
  else if (count > 1) messages.push(sentences.severalPriors(name, count));
  return messages.map((message) => ({ span, message }));
}

/** Sorts warnings by location, then by text, and removes duplicates. */
function inOrder(warnings: readonly Warning[]): readonly Warning[] {
  const sorted = warnings.toSorted(
    (a, b) =>
      comparePlaces(a.span.begin, b.span.begin) ||
      comparePlaces(a.span.end, b.span.end) ||
      (a.message.text < b.message.text ? -1 : a.message.text > b.message.text ? 1 : 0),
  );
  return sorted.filter((warning, i) => {
    const before = sorted[i - 1];
    return (
      before === undefined ||
      before.message.text !== warning.message.text ||
      comparePlaces(before.span.begin, warning.span.begin) !== 0 ||
      comparePlaces(before.span.end, warning.span.end) !== 0
    );
  });
}

function comparePlaces(a: Position, b: Position): number {
  return isBefore(a, b) ? -1 : isBefore(b, a) ? 1 : 0;
}
