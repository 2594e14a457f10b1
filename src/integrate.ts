import type { TypedProgram } from './check/typed.js';
import type { FunctionTable } from './functions/table.js';
import { Builder, Names } from './ir/builder.js';
import { load } from './ir/expressions.js';
import type { Block, IntegratedParameter, IrProgram, Ref } from './ir/nodes.js';
import { type LowerOptions, type LowerResult, lower } from './lower/lower.js';
import { BlockFacts } from './optimize/integrate/block-facts.js';
import { type Conditional, conditionalOf, drawsOf, marginalDensity } from './optimize/integrate/integrate.js';
import { NotQuadratic } from './optimize/integrate/not-quadratic.js';
import { scaleSums } from './optimize/integrate/scaled-sums.js';
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
      /** The names of the program's variables. */
      readonly names: Names;
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
  options: LowerOptions,
  onlyEffects: boolean,
): Integrated {
  const found = choose(program, table, options);
  if ('diagnostics' in found) return found;
  const isLeft = onlyEffects && found.isRegression && found.integrated.length > 0;
  const choice = isLeft ? withoutRegression(found, program, table, options) : found;
  if ('diagnostics' in choice) return choice;
  const { integrand, isRegression, names, program: lowered, sampled } = choice;
  const { integration } = lowered;
  if (integration === undefined)
    return { names, program: lowered, choice: { integrated: [], sampled, isRegression: false } };
  const integrated = choice.integrated.map(({ name }) => name);
  const parameters = integration.parameters.map(
    (each) => choice.integrated.find(({ name }) => name === each.name) ?? each,
  );
  const conditional = integrand.conditional(parameters);
  if ('reason' in conditional) throw conditional;
  const { centering, generate, keepConstants, keepJacobian, logDensity, position } = lowered;
  const inputs = [position, keepConstants, keepJacobian, ...(centering === undefined ? [] : [centering.places])];
  // Statistics of the data are computed once, and not for each draw.
  const draws = drawsOf(names, conditional, integration.excess);
  const drawn = hoistData(names, conditional.statements, inputs, draws);
  return {
    names,
    program: {
      ...lowered,
      logDensity: marginalDensity(names, logDensity, conditional),
      generate: [...drawn.logDensity, ...generate],
      statistics: drawn.precompute,
    },
    choice: { integrated, sampled, isRegression },
    ...(parameters.some(hasOpenSize) && { whole: [...readFrom(names, position, parameters), ...logDensity] }),
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

/** A program as lowered with parameters that may be integrated out. */
interface Choice {
  readonly names: Names;
  readonly program: IrProgram;
  readonly integrand: Integrand;
  /** The parameters that are integrated out, in the forms that they have. */
  readonly integrated: readonly IntegratedParameter[];
  readonly sampled: readonly Sampled[];
  readonly isRegression: boolean;
}

type Diagnostics = Extract<LowerResult, { readonly diagnostics: unknown }>;

/** The choice not to integrate coefficients out. */
function withoutRegression(
  { integrated, sampled }: Choice,
  program: TypedProgram,
  table: FunctionTable,
  options: LowerOptions,
): Choice | Diagnostics {
  const plain = chooseAmong(program, table, { ...options, integrates: new Set() });
  if ('diagnostics' in plain) return plain;
  const reason = 'coefficients of a regression without effects are sampled in less time';
  return { ...plain, sampled: [...sampled, ...integrated.map(({ name }) => ({ name, reason }))] };
}

/** Whether a parameter that is not chosen is declared before one that is. */
function isBeforeChosen(
  candidate: IntegratedParameter,
  containers: readonly IntegratedParameter[],
  chosen: readonly IntegratedParameter[],
): boolean {
  const names = new Set(chosen.map(({ name }) => name));
  const later = containers.slice(containers.indexOf(candidate) + 1);
  return !names.has(candidate.name) && later.some(({ name }) => names.has(name));
}

type Form = IntegratedParameter['form'];

function choose(program: TypedProgram, table: FunctionTable, options: LowerOptions): Choice | Diagnostics {
  let choice = chooseAmong(program, table, { ...options, integrates: 'candidates' });
  // The log density changes with the choice: parameters that are not chosen can have coordinates that depend on those that are.
  while (!('diagnostics' in choice) && !isWhole(choice)) {
    const { integrated, sampled }: Choice = choice;
    const integrates = new Set(integrated.map(({ name }) => name));
    const next: Choice | Diagnostics = chooseAmong(program, table, { ...options, integrates });
    if ('diagnostics' in next) return next;
    const left = next.sampled.filter(({ name }) => integrates.has(name));
    choice = { ...next, sampled: [...left, ...sampled] };
  }
  return choice;
}

/** Whether every parameter with which the program was lowered is integrated out. */
function isWhole({ integrated, program: { integration } }: Choice): boolean {
  return integrated.length === (integration?.parameters.length ?? 0);
}

/** Chooses parameters one after another, scalars last, as long as the density is normal in all that are chosen. */
function chooseAmong(program: TypedProgram, table: FunctionTable, options: LowerOptions): Choice | Diagnostics {
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
  // The mean of effects is declared before them, but can only be followed along with them.
  for (const candidate of containers.filter((each) => isBeforeChosen(each, containers, chosen))) {
    const before = sampled.findIndex(({ name }) => name === candidate.name);
    sampled.splice(before, 1);
    consider(candidate);
  }
  const takesScalars = chosen.length > 0 || parameters.every(({ sizes }) => sizes.length === 0);
  for (const candidate of all) {
    if (candidate.form !== 'short') continue;
    if (takesScalars) consider(candidate);
    else refuse(candidate.name, 'it is a scalar, and no container is integrated out');
  }
  const last = chosen.length === parameters.length ? chosen.pop() : undefined;
  if (last !== undefined) refuse(last.name, 'all others are integrated out');
  return {
    names,
    program: lowered.program,
    integrand,
    integrated: chosen,
    sampled,
    isRegression: chosen.every(({ form }) => form === 'short' || form === 'dense'),
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
  #unrolled: BlockFacts | undefined;
  #rolled: BlockFacts | undefined;
  #last: { readonly parameters: readonly IntegratedParameter[]; readonly conditional: Conditional } | undefined;

  constructor(names: Names, program: IrProgram) {
    this.#names = names;
    this.#program = program;
  }

  /** The conditional distribution of the parameters, or the reason why it has not been found. */
  conditional(parameters: readonly IntegratedParameter[]): Conditional | NotQuadratic {
    const last = this.#last;
    if (last?.parameters.length === parameters.length && last.parameters.every((each, k) => each === parameters[k]))
      return last.conditional;
    this.#unrolled ??= this.#facts('integrand');
    let found = this.#conditionalIn(this.#unrolled, parameters);
    if ('reason' in found && parameters.some(({ form }) => form === 'blocks')) {
      this.#rolled ??= this.#facts('rolled integrand');
      found = this.#conditionalIn(this.#rolled, parameters);
    }
    if (!('reason' in found)) this.#last = { parameters, conditional: found };
    return found;
  }

  #facts(part: 'integrand' | 'rolled integrand'): BlockFacts {
    const { functions, logDensity } = this.#program;
    return new BlockFacts(scaleSums(new PassRunner(this.#names).block(part, logDensity, functions)));
  }

  #conditionalIn(block: BlockFacts, parameters: readonly IntegratedParameter[]): Conditional | NotQuadratic {
    try {
      return conditionalOf(this.#names, block, parameters);
    } catch (error) {
      if (error instanceof NotQuadratic) return error;
      throw error;
    }
  }
}
