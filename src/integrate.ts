import type { TypedProgram } from './check/typed.js';
import type { FunctionTable } from './functions/table.js';
import { Names } from './ir/builder.js';
import type { IntegratedParameter, IrProgram } from './ir/nodes.js';
import { type LowerOptions, type LowerResult, lower } from './lower/lower.js';
import { hoistData } from './optimize/hoist.js';
import { conditionalOf, drawsOf, marginalDensity } from './optimize/integrate/integrate.js';
import { NotQuadratic } from './optimize/integrate/not-quadratic.js';
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
 * Lowers a program in which parameters that are jointly normal, given all others, are integrated out. The log density is the marginal density
 * of the other parameters; `generate` draws the parameters from their conditional distribution.
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
  if (integration === undefined)
    return { program: lowered.program, choice: { integrated: [], sampled: choice.sampled } };
  const { forms, integrated, sampled } = choice;
  const parameters = integration.parameters.map((each) => ({ ...each, form: forms.get(each.name) ?? each.form }));
  const conditional = conditionalIn(names, lowered.program, parameters);
  if ('reason' in conditional) throw conditional;
  const { centering, keepConstants, keepJacobian, position } = lowered.program;
  const inputs = [position, keepConstants, keepJacobian, ...(centering === undefined ? [] : [centering.places])];
  // Statistics of the data are computed once, and not for each draw.
  const draws = drawsOf(names, conditional, integration.excess);
  const drawn = hoistData(names, conditional.statements, inputs, draws);
  return {
    program: {
      ...lowered.program,
      logDensity: marginalDensity(names, logDensity, conditional),
      generate: [...drawn.logDensity, ...generate],
      statistics: drawn.precompute,
    },
    choice: { integrated, sampled },
  };
}

/** `forms`: the form of each parameter that is integrated out. */
type Choice =
  | (IntegrationChoice & { readonly forms: ReadonlyMap<string, Form> })
  | Extract<LowerResult, { readonly diagnostics: unknown }>;

type Form = IntegratedParameter['form'];

function choose(program: TypedProgram, table: FunctionTable, options: LowerOptions): Choice {
  const { observe: _, ...quiet } = options;
  let choice = chooseAmong(program, table, { ...quiet, integrates: 'candidates' });
  // The log density changes with the choice: parameters that are not chosen can have coordinates that depend on those that are.
  for (let isSettled = false; !isSettled; ) {
    if ('diagnostics' in choice) return choice;
    const { integrated, sampled } = choice;
    const next: Choice = chooseAmong(program, table, { ...quiet, integrates: new Set(integrated) });
    if ('diagnostics' in next) return next;
    isSettled = next.integrated.length === integrated.length;
    const left = next.sampled.filter(({ name }) => integrated.includes(name));
    choice = { ...next, sampled: [...left, ...sampled] };
  }
  return choice;
}

/** Chooses parameters one after another, scalars last, as long as the density is normal in all that are chosen. */
function chooseAmong(program: TypedProgram, table: FunctionTable, options: LowerOptions): Choice {
  const names = new Names();
  const lowered = lower(program, table, names, options);
  if ('diagnostics' in lowered) return lowered;
  const { integration, outputs } = lowered.program;
  const candidates = new Map(integration?.parameters.map((each) => [each.name, each]));
  const chosen: IntegratedParameter[] = [];
  const sampled: Sampled[] = [];
  const refuse = (name: string, reason: string): void => {
    sampled.push({ name, reason });
  };
  const consider = (candidate: IntegratedParameter): void => {
    const reasons: string[] = [];
    for (const form of formsOf(candidate)) {
      const formed = { ...candidate, form };
      const conditional = conditionalIn(names, lowered.program, [...chosen, formed]);
      if (!('reason' in conditional)) {
        chosen.push(formed);
        return;
      }
      reasons.push(conditional.reason);
    }
    refuse(candidate.name, reasons[reasons.length - 1]);
  };
  const parameters = outputs.filter(({ block }) => block === 'parameters');
  for (const { name } of parameters) {
    if (!candidates.has(name)) refuse(name, 'it is constrained, or its type is not real');
  }
  const all = [...candidates.values()];
  const containers = all.filter(({ form }) => form !== 'short');
  for (const candidate of containers) if (!hasFewElements(candidate)) consider(candidate);
  for (const candidate of containers) if (hasFewElements(candidate)) consider(candidate);
  const takesScalars = chosen.length > 0 || parameters.every(({ sizes }) => sizes.length === 0);
  for (const candidate of all) {
    if (candidate.form !== 'short') continue;
    if (takesScalars) consider(candidate);
    else refuse(candidate.name, 'it is a scalar, and no container is integrated out');
  }
  const last = chosen.length === parameters.length ? chosen.pop() : undefined;
  if (last !== undefined) refuse(last.name, 'all others are integrated out');
  return {
    integrated: chosen.map(({ name }) => name),
    sampled,
    forms: new Map(chosen.map(({ form, name }) => [name, form])),
  };
}

/** The forms of a parameter, from the one with the least work. */
function formsOf(candidate: IntegratedParameter): readonly Form[] {
  if (candidate.form === 'short') return ['short'];
  if (hasFewElements(candidate)) return ['short', 'long', 'dense'];
  return candidate.blocks === null ? ['long', 'dense'] : ['long', 'blocks', 'dense'];
}

function hasFewElements({ size }: IntegratedParameter): boolean {
  return size.kind === 'const' && size.value <= MAX_SHORT;
}

/** Maximum number of elements of a container that is integrated out element by element. */
const MAX_SHORT = 4;

function conditionalIn(names: Names, { functions, logDensity }: IrProgram, parameters: readonly IntegratedParameter[]) {
  const block = new PassRunner(names).block('integrand', logDensity, functions);
  try {
    return conditionalOf(names, block, parameters);
  } catch (error) {
    if (error instanceof NotQuadratic) return error;
    throw error;
  }
}
