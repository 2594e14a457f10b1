import type { TypedProgram } from './check/typed.js';
import type { FunctionTable } from './functions/table.js';
import { Builder, Names } from './ir/builder.js';
import { load } from './ir/expressions.js';
import type { Block, IntegratedParameter, IrProgram, Ref } from './ir/nodes.js';
import { type LowerOptions, type LowerResult, lower } from './lower/lower.js';
import { type Conditional, conditionalOf, drawsOf, marginalDensity } from './optimize/integrate/integrate.js';
import { NotQuadratic } from './optimize/integrate/not-quadratic.js';
import { hoistData } from './optimize/loops/hoist.js';
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
  /** Whether all are scalars, short containers or coefficients: there are no effects of groups, walks or processes. */
  readonly isRegression: boolean;
}

export type Integrated =
  | {
      readonly program: IrProgram;
      readonly choice?: IntegrationChoice;
      /**
       * The log density with the parameters as part of the position, to compare its work. Absent if the work of integration is linear in the
       * number of elements.
       */
      readonly whole?: Block;
    }
  | Extract<LowerResult, { readonly diagnostics: unknown }>;

/**
 * Lowers a program in which parameters that are jointly normal, given all others, are integrated out. The log density is the marginal density
 * of the other parameters; `generate` draws the parameters from their conditional distribution. `onlyEffects`: whether the coefficients of a
 * program without effects are sampled.
 */
export function lowerIntegrated(
  program: TypedProgram,
  table: FunctionTable,
  names: Names,
  options: LowerOptions,
  onlyEffects: boolean,
): Integrated {
  const found = choose(program, table, options);
  if ('diagnostics' in found) return found;
  const choice = onlyEffects && found.isRegression ? withoutRegression(found) : found;
  const lowered = lower(program, table, names, { ...options, integrates: new Set(choice.integrated) });
  if ('diagnostics' in lowered) return lowered;
  const { generate, integration, logDensity } = lowered.program;
  if (integration === undefined)
    return { program: lowered.program, choice: { integrated: [], sampled: choice.sampled, isRegression: false } };
  const { forms, integrated, isRegression, sampled } = choice;
  const parameters = integration.parameters.map((each) => ({ ...each, form: forms.get(each.name) ?? each.form }));
  const conditional = new Integrand(names, lowered.program).conditional(parameters);
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
    choice: { integrated, sampled, isRegression },
    ...(parameters.some(hasOpenSize) && {
      whole: [...readFrom(names, lowered.program.position, parameters), ...logDensity],
    }),
  };
}

/** Whether the work per element depends on sizes that only the data determine. */
function hasOpenSize({ blocks, form }: IntegratedParameter): boolean {
  return form === 'dense' || (form === 'blocks' && blocks?.width.kind !== 'const');
}

/** Statements that read the parameters from the position. */
function readFrom(names: Names, position: Ref, parameters: readonly IntegratedParameter[]): Block {
  const builder = new Builder(names);
  return builder.capture(() => {
    for (const { size, values } of parameters) {
      builder.allocateRef(values, [size]);
      builder.each(size, (k) => builder.store(values, k, load(position, k)));
    }
  });
}

/** The choice not to integrate coefficients out. */
function withoutRegression({ integrated, sampled }: IntegrationChoice): Exclude<Choice, { diagnostics: unknown }> {
  const reason = 'coefficients of a regression without effects are sampled in less time';
  const left = integrated.map((name) => ({ name, reason }));
  return { integrated: [], sampled: [...sampled, ...left], isRegression: false, isWhole: false, forms: new Map() };
}

/** `forms`: the form of each parameter that is integrated out. `isWhole`: whether no candidate is sampled. */
type Choice =
  | (IntegrationChoice & { readonly forms: ReadonlyMap<string, Form>; readonly isWhole: boolean })
  | Extract<LowerResult, { readonly diagnostics: unknown }>;

type Form = IntegratedParameter['form'];

function choose(program: TypedProgram, table: FunctionTable, options: LowerOptions): Choice {
  const { observe: _, ...quiet } = options;
  let choice = chooseAmong(program, table, { ...quiet, integrates: 'candidates' });
  // The log density changes with the choice: parameters that are not chosen can have coordinates that depend on those that are.
  while (!('diagnostics' in choice) && !choice.isWhole) {
    const { integrated, sampled }: IntegrationChoice = choice;
    const next: Choice = chooseAmong(program, table, { ...quiet, integrates: new Set(integrated) });
    if ('diagnostics' in next) return next;
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
  const integrand = new Integrand(names, lowered.program);
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
      const conditional = integrand.conditional([...chosen, formed]);
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
    isRegression: chosen.every(({ form }) => form === 'short' || form === 'dense'),
    isWhole: chosen.length === candidates.size,
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

/** The forms of a log density from which conditional distributions are derived. */
class Integrand {
  readonly #names: Names;
  readonly #program: IrProgram;
  #unrolled: Block | undefined;
  #rolled: Block | undefined;

  constructor(names: Names, program: IrProgram) {
    this.#names = names;
    this.#program = program;
  }

  /** The conditional distribution of the parameters, or the reason why it has not been found. */
  conditional(parameters: readonly IntegratedParameter[]): Conditional | NotQuadratic {
    this.#unrolled ??= this.#block('integrand');
    const found = this.#conditionalIn(this.#unrolled, parameters);
    if (!('reason' in found) || parameters.every(({ form }) => form !== 'blocks')) return found;
    this.#rolled ??= this.#block('rolled integrand');
    return this.#conditionalIn(this.#rolled, parameters);
  }

  #block(part: 'integrand' | 'rolled integrand'): Block {
    const { functions, logDensity } = this.#program;
    return new PassRunner(this.#names).block(part, logDensity, functions);
  }

  #conditionalIn(block: Block, parameters: readonly IntegratedParameter[]): Conditional | NotQuadratic {
    try {
      return conditionalOf(this.#names, block, parameters);
    } catch (error) {
      if (error instanceof NotQuadratic) return error;
      throw error;
    }
  }
}
