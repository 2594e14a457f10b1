import type { Typed, TypedProgram } from '../check/typed.js';
import type { FunctionTable } from '../functions/table.js';
import type { Names } from '../ir/builder.js';
import { get, int, or } from '../ir/expressions.js';
import type { IrProgram, Statement as IrStatement } from '../ir/nodes.js';
import type { Diagnostic } from '../source/diagnostic.js';
import type { Span } from '../source/span.js';
import type { BlockName, Statement } from '../syntax/ast.js';
import {
  centerParameters,
  lowerData,
  lowerOutputBlock,
  lowerTransformedData,
  lowerUnconstrain,
  placeParameters,
  readParameters,
  sizeTopVariables,
  statementsOf,
  writeOutputs,
} from './blocks.js';
import { allCalls, callsOfDifferentiated, callsOfLarge } from './call-plan.js';
import { collectTarget } from './collect-target.js';
import { lowerExpression } from './expressions.js';
import { addExpression } from './increments.js';
import { findLocationScales, type LocationScales } from './location-scale.js';
import { Lowering } from './lowering.js';
import { outputsOf, parameterOutputs } from './output-variables.js';
import type { Recursion } from './recursion.js';
import type { Phase } from './scope.js';
import { lowerStatement } from './statements.js';
import type { Parameter, TopVariable } from './top-variables.js';
import { Unsupported, unsupported } from './unsupported.js';

export interface LowerOptions {
  /** The name of the program in messages. */
  readonly modelName?: string;
  /** Whether checks that are known to hold are kept. */
  readonly keepsChecks?: boolean;
  /** Whether user functions are called wherever possible, and not only in large blocks. */
  readonly callsAll?: boolean;
  /** Whether second derivatives of the log density will be computed; those of solvers' results are then exact. */
  readonly secondDerivatives?: boolean;
  /** Whether parameters whose priors have a location and a scale get partially centered coordinates. */
  readonly reparameterizes?: boolean;
  /** Names of parameters whose values the log density computes; `candidates` for all whose type allows it. */
  readonly integrates?: ReadonlySet<string> | 'candidates';
  /** Receives each statement of the log density with its statement of the program. */
  readonly observe?: (statement: IrStatement, source: Span) => void;
}

export type LowerResult = { readonly program: IrProgram } | { readonly diagnostics: readonly Diagnostic[] };

const RECURSION: Recursion = { expression: lowerExpression, increment: addExpression, statement: lowerStatement };

/**
 * Typed program to IR: makes constraint transforms, `~`, truncation, promotions, bounds checks and user functions explicit. Returns
 * `unsupported` diagnostics for a program that needs something that is not compiled yet.
 */
export function lower(
  program: TypedProgram,
  table: FunctionTable,
  names: Names,
  {
    modelName = 'string',
    keepsChecks = false,
    callsAll = false,
    secondDerivatives = false,
    reparameterizes = false,
    integrates = new Set(),
    observe,
  }: LowerOptions = {},
): LowerResult {
  try {
    const lowering = new Lowering(program, table, names, RECURSION, {
      modelName,
      keepsChecks,
      callsAll,
      secondDerivatives,
    });
    const scales = reparameterizes ? findLocationScales(program) : null;
    const lowered = lowerProgram(lowering, names, scales, integrates, observe);
    finishTangents(lowering);
    return { program: collectTarget(names, lowered) };
  } catch (error) {
    if (error instanceof Unsupported) return { diagnostics: [error.diagnostic] };
    throw error;
  }
}

function finishTangents({ tangents }: Lowering): void {
  const missing = tangents.finish();
  if (missing === null) return;
  const { what, span } = missing;
  if (span === null) throw new Error(`No derivatives of ${what}`);
  unsupported(span, `A solver that requires derivatives of ${what}, which are not available, is`);
}

/**
 * The functions that a part of the program calls although it could inline them. The log density calls few, because inlined functions are
 * vectorized and their data are summarized.
 */
function plannedCalls(
  { called, callsAll, differentiates }: Lowering,
  statements: readonly Statement<Typed>[],
): ReadonlySet<number> {
  if (callsAll) return allCalls(called.graphOf(statements));
  const graph = called.graphOf(statements);
  return differentiates ? callsOfDifferentiated(graph) : callsOfLarge(graph);
}

function lowerProgram(
  lowering: Lowering,
  names: Names,
  scales: LocationScales | null,
  integrates: NonNullable<LowerOptions['integrates']>,
  observe: LowerOptions['observe'],
): IrProgram {
  const { builder } = lowering;
  const position = builder.newRef('real', 1, 'position', 'global');
  const constrained = builder.newRef('real', 1, 'constrained', 'global');
  const refs = scales && {
    places: builder.newRef('real', 1, 'places', 'global'),
    origins: builder.newRef('real', 1, 'origins', 'global'),
  };
  const includeTransformedParameters = builder.newLocal('int', 'include_transformed_parameters', 'global');
  const includeGeneratedQuantities = builder.newLocal('int', 'include_generated_quantities', 'global');
  const rounding = builder.newLocal('real', 'rounding', 'global');
  const phase = <T>(name: Phase, blocks: readonly BlockName[], write: () => T): T =>
    lowering.within({ phase: name }, () => {
      const statements = blocks.flatMap((block) => statementsOf(lowering, block));
      lowering.called.inlined = 0;
      lowering.computed.clear();
      lowering.called.planned = plannedCalls(lowering, statements);
      return write();
    });

  const prepared = phase('prepare', ['data', 'transformed data', 'parameters'], () =>
    builder.captureResult(() => {
      const data = lowerData(lowering);
      lowerTransformedData(lowering);
      const placed = placeParameters(lowering, sizeTopVariables(lowering, 'parameters'), (parameter) =>
        isIntegrated(parameter, integrates),
      );
      const parameters = scales && refs ? centerParameters(lowering, placed, scales, refs) : placed;
      const transformed = sizeTopVariables(lowering, 'transformed parameters');
      return { data, parameters, transformed, generated: sizeTopVariables(lowering, 'generated quantities') };
    }),
  );
  const { data, parameters, transformed, generated } = prepared.result;
  const integrated = parameters.flatMap((parameter) => parameter.integrated ?? []);
  const inOrder = scales === null ? parameters : ordered(parameters, scales);

  if (observe !== undefined) builder.observe = observe;
  const logDensity = phase('logDensity', ['parameters', 'transformed parameters', 'model'], () =>
    builder.capture(() => {
      readParameters(lowering, inOrder, position, 'values');
      lowerOutputBlock(lowering, 'transformed parameters', transformed);
      lowering.statements(statementsOf(lowering, 'model'));
    }),
  );

  builder.observe = null;
  const generate = phase('generate', ['parameters', 'transformed parameters', 'generated quantities'], () =>
    builder.capture(() => {
      const next = builder.newLocal('int', 'next');
      builder.assign(next, int(0));
      readParameters(lowering, inOrder, position, 'drawn');
      writeOutputs(lowering, parameters, constrained, next);
      const wantsMore = or(get(includeTransformedParameters), get(includeGeneratedQuantities));
      builder.if(wantsMore, () => {
        lowerOutputBlock(lowering, 'transformed parameters', transformed);
        builder.if(get(includeTransformedParameters), () => writeOutputs(lowering, transformed, constrained, next));
        builder.if(get(includeGeneratedQuantities), () => {
          lowerOutputBlock(lowering, 'generated quantities', generated);
          writeOutputs(lowering, generated, constrained, next);
        });
      });
    }),
  );

  const unconstrain = phase('unconstrain', ['parameters'], () =>
    builder.capture(() => lowerUnconstrain(lowering, parameters, constrained, position, get(rounding))),
  );

  return {
    name: lowering.modelName,
    data,
    outputs: [
      ...parameters.flatMap(parameterOutputs),
      ...transformed.flatMap((variable) => outputsOf(variable, 'transformed parameters')),
      ...generated.flatMap((variable) => outputsOf(variable, 'generated quantities')),
    ],
    globals: names.globals,
    functions: lowering.called.lowered,
    position,
    constrained,
    keepConstants: lowering.keepConstants,
    keepJacobian: lowering.keepJacobian,
    includeTransformedParameters,
    includeGeneratedQuantities,
    rounding,
    prepare: prepared.block,
    logDensity,
    generate,
    unconstrain,
    ...(scales &&
      refs && {
        centering: {
          ...refs,
          names: parameters.flatMap(({ centered, variable }) => (centered === undefined ? [] : [variable.name])),
          leftAlone: scales.leftAlone,
        },
      }),
    ...(integrated.length > 0 && {
      integration: { parameters: integrated, excess: builder.newRef('real', 1, 'excess', 'global') },
    }),
    ...(lowering.withoutSecondDerivatives !== undefined && {
      withoutSecondDerivatives: lowering.withoutSecondDerivatives,
    }),
  };
}

/** Whether a parameter is real, has no constraint, and is one of those to integrate. */
function isIntegrated(
  { declaration: { type }, variable }: TopVariable,
  integrates: ReadonlySet<string> | 'candidates',
) {
  const element = type.kind === 'array' ? type.element : type;
  if (element.kind === 'tuple' || element.kind === 'array' || element.kind.startsWith('complex')) return false;
  const isFree = /^(?:none|offset|multiplier|offset_multiplier)$/.test(element.constraint.kind);
  return isFree && (integrates === 'candidates' || integrates.has(variable.name));
}

function ordered(parameters: readonly Parameter[], { order }: LocationScales): readonly Parameter[] {
  const byVariable = new Map(parameters.map((parameter) => [parameter.variable, parameter]));
  return order.flatMap((variable) => byVariable.get(variable) ?? []);
}
