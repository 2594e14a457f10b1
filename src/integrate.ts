import type { TypedProgram } from './check/typed.js';
import type { FunctionTable } from './functions/table.js';
import { Names } from './ir/builder.js';
import type { IntegratedParameter, IrProgram } from './ir/nodes.js';
import { type LowerOptions, type LowerResult, lower } from './lower/lower.js';
import { conditionalOf, marginalDensity, withDraws } from './optimize/integrate/integrate.js';
import { NotQuadratic } from './optimize/integrate/quadratic-terms.js';
import { PassRunner } from './optimize/runner.js';

/** A parameter that is not integrated out, and the reason, as the end of a sentence about it. */
interface Sampled {
  readonly name: string;
  readonly reason: string;
}

/** The parameters that are integrated out, and those that are sampled. */
interface IntegrationChoice {
  readonly integrated: readonly string[];
  readonly sampled: readonly Sampled[];
}

export type Integrated =
  | { readonly program: IrProgram; readonly choice?: IntegrationChoice }
  | Extract<LowerResult, { readonly diagnostics: unknown }>;

/**
 * Lowers a program in which the parameters that are normally and independently distributed, given all others, are integrated out. The log
 * density is the marginal density of the other parameters; `generate` draws the parameters from their conditional distribution.
 */
export function lowerIntegrated(
  program: TypedProgram,
  table: FunctionTable,
  names: Names,
  options: LowerOptions,
): Integrated {
  const choice = choose(program, table, options);
  if ('diagnostics' in choice) return choice;
  const lowered = lower(program, table, names, { ...options, integrates: new Set(choice.integrated) });
  if ('diagnostics' in lowered) return lowered;
  const { generate, integration, logDensity } = lowered.program;
  if (integration === undefined) return { program: lowered.program, choice };
  const conditional = conditionalIn(names, lowered.program, integration.parameters);
  if ('reason' in conditional) throw conditional;
  return {
    program: {
      ...lowered.program,
      logDensity: marginalDensity(names, logDensity, conditional),
      generate: withDraws(names, generate, conditional, integration.excess),
    },
    choice,
  };
}

type Choice = IntegrationChoice | Extract<LowerResult, { readonly diagnostics: unknown }>;

function choose(program: TypedProgram, table: FunctionTable, options: LowerOptions): Choice {
  const { observe: _, ...quiet } = options;
  let choice = chooseAmong(program, table, { ...quiet, integrates: 'candidates' });
  // Parameters that are not chosen may get coordinates that depend on those that are.
  for (let isSettled = options.reparameterizes !== true; !isSettled; ) {
    if ('diagnostics' in choice) return choice;
    const { integrated, sampled } = choice;
    const next: Choice = chooseAmong(program, table, { ...quiet, integrates: new Set(integrated) });
    if ('diagnostics' in next) return next;
    isSettled = next.integrated.length === integrated.length;
    const left = next.sampled.filter(({ name }) => integrated.includes(name));
    choice = { integrated: next.integrated, sampled: [...left, ...sampled] };
  }
  return choice;
}

/** Chooses parameters one after another, as long as the density is normal in all that are chosen. */
function chooseAmong(program: TypedProgram, table: FunctionTable, options: LowerOptions): Choice {
  const names = new Names();
  const lowered = lower(program, table, names, options);
  if ('diagnostics' in lowered) return lowered;
  const { integration, outputs } = lowered.program;
  const candidates = new Map(integration?.parameters.map((each) => [each.name, each]));
  const chosen: IntegratedParameter[] = [];
  const sampled: Sampled[] = [];
  for (const { block, name, sizes } of outputs) {
    if (block !== 'parameters') continue;
    const candidate = candidates.get(name);
    if (candidate === undefined) sampled.push({ name, reason: 'it is constrained, or its type is not real' });
    else if (sizes.length === 0) sampled.push({ name, reason: 'it is a scalar' });
    else {
      const conditional = conditionalIn(names, lowered.program, [...chosen, candidate]);
      if ('reason' in conditional) sampled.push({ name, reason: conditional.reason });
      else chosen.push(candidate);
    }
  }
  return { integrated: chosen.map(({ name }) => name), sampled };
}

function conditionalIn(names: Names, { functions, logDensity }: IrProgram, parameters: readonly IntegratedParameter[]) {
  const block = new PassRunner(names).block('integrand', logDensity, functions);
  try {
    return conditionalOf(names, block, parameters);
  } catch (error) {
    if (error instanceof NotQuadratic) return error;
    throw error;
  }
}
