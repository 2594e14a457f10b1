/** The statements of a derived program that take the place of the terms of the likelihood. */
import type { Typed, TypedProgram } from '../check/typed.js';
import type { FunctionSignatures } from '../language/overloads.js';
import type { Type } from '../language/types.js';
import { spanText } from '../source/span.js';
import type { Truncation } from '../syntax/ast.js';
import { normalized } from './copied-model.js';
import type { DensityText } from './density-text.js';
import type { Outcome, Outcomes, QuantityKind } from './derived-outcomes.js';
import { elementOf, isContainer, textOf } from './elements.js';
import { keptDensity } from './held-out-terms.js';
import type { DensityValue, LikelihoodTerm } from './likelihood-terms.js';
import type { DensityCall, Unclear } from './observed.js';
import { isElement, placesText } from './outcome-places.js';

export class DerivedTerms {
  /** Declarations of the variables that mark elements which a statement has already counted. */
  readonly marks: string[] = [];
  readonly #program: TypedProgram;
  readonly #functions: FunctionSignatures;
  readonly #kind: QuantityKind;
  readonly #outcomes: Outcomes;

  constructor(program: TypedProgram, functions: FunctionSignatures, kind: QuantityKind, outcomes: Outcomes) {
    this.#program = program;
    this.#functions = functions;
    this.#kind = kind;
    this.#outcomes = outcomes;
  }

  /** The statements that replace the statement of a term. */
  linesOf(term: LikelihoodTerm, outcome: Outcome, index: number): readonly string[] | Unclear {
    const { statement, value } = term;
    const at = statement.span;
    if (value.kind === 'density') {
      return this.#kind === 'replicated'
        ? this.#simulation(term, outcome, index, value)
        : this.#density(term, outcome, index, value);
    }
    if (this.#kind === 'replicated') {
      return {
        reason: `its densities are part of an expression, which does not define how ${term.variable} is drawn`,
        at,
      };
    }
    const text = normalized(textOf(value.expression));
    if (value.kind === 'expression') {
      const place = placesText(term.outcome, outcome.places);
      return [`{ ${this.#add(term, outcome, index, place, text)} }`];
    }
    const i = `${this.#outcomes.prefix}n`;
    const place = `${outcome.places}[${i}]`;
    return [`for (${i} in 1:size(${text})) { ${this.#add(term, outcome, index, place, `${text}[${i}]`)} }`];
  }

  /** The statements that add a term to the log density unless its observation is held out. */
  keptLines(term: LikelihoodTerm, outcome: Outcome): readonly string[] {
    const { value } = term;
    const add = (place: string, text: string) => `{ if (${place} > 0) target += ${text}; }`;
    if (value.kind === 'density') {
      const { call, density } = value;
      const kept = { ...outcome, places: outcome.kept };
      const name = keptDensity(term, density.name);
      const textWith = (of: string, values: readonly string[]) => valueText(value, name, of, values);
      if (density.isOverElements) {
        const lines = (place: string, of: string, values: readonly string[]) => add(place, textWith(of, values));
        return this.#overElements(kept, call, density, lines, true);
      }
      return [add(placesText(term.outcome, outcome.kept), textWith(textOf(call.outcome), density.texts))];
    }
    const text = textOf(value.expression);
    if (value.kind === 'expression') return [add(placesText(term.outcome, outcome.kept), text)];
    const i = `${this.#outcomes.prefix}n`;
    return [`for (${i} in 1:size(${text})) ${add(`${outcome.kept}[${i}]`, `${text}[${i}]`)}`];
  }

  /** Adds to the sum of an element. If a statement adds to one element twice, the observation is ambiguous. */
  #add(term: LikelihoodTerm, outcome: Outcome, index: number, place: string, value: string): string {
    return `${this.#count(term, outcome, index, place)} ${outcome.flat}[${this.#outcomes.prefix}m] += ${value};`;
  }

  #count({ statement, variable }: LikelihoodTerm, outcome: Outcome, index: number, place: string): string {
    const { isInt, terms, unitDimensions } = outcome;
    const number = isInt || unitDimensions > 0 ? place : `to_int(${place})`;
    const m = `${this.#outcomes.prefix}m`;
    const seen = `${this.#outcomes.prefix}seen_${index + 1}`;
    const size = `size(${terms})`;
    const declared = `array[${size}] int ${seen} = rep_array(0, ${size});`;
    if (!this.marks.includes(declared)) this.marks.push(declared);
    const [shown] = spanText(statement.span).split('\n');
    const message =
      `Line ${statement.span.begin.line}, ${shown.replace(/["\\]/g, "'")}: an element of ${variable} is the outcome of more than ` +
      'one term.';
    const isTwice = this.#kind === 'replicated' ? `${terms}[${m}]` : `${seen}[${m}]`;
    return `int ${m} = ${number}; if (${isTwice} == 1) fatal_error("${message}"); ${seen}[${m}] = 1; ${terms}[${m}] = 1;`;
  }

  #density(term: LikelihoodTerm, outcome: Outcome, index: number, value: DensityValue): readonly string[] {
    const { call, density } = value;
    const text = (of: string, values: readonly string[]) => valueText(value, density.name, of, values);
    if (!density.isOverElements) {
      const place = placesText(term.outcome, outcome.places);
      return [`{ ${this.#add(term, outcome, index, place, text(textOf(call.outcome), density.texts))} }`];
    }
    return this.#overElements(outcome, call, density, (place, of, values) =>
      this.#add(term, outcome, index, place, text(of, values)),
    );
  }

  #simulation(
    term: LikelihoodTerm,
    outcome: Outcome,
    index: number,
    { call, density, truncation }: DensityValue,
  ): readonly string[] | Unclear {
    const { statement, variable } = term;
    const at = statement.span;
    if (truncation !== undefined) return { reason: 'its density is truncated', at };
    if (term.outcome !== call.outcome) {
      return { reason: `its outcome, ${textOf(call.outcome)}, does not define how ${variable} is drawn`, at };
    }
    const random = density.random(this.#functions);
    const { unitDimensions } = outcome;
    if (!this.#isFunction(random.name)) {
      return { reason: `there is no function ${random.name} that simulates ${variable}`, at };
    }
    const count = (place: string) => this.#count(term, outcome, index, place);
    if (unitDimensions === 0) {
      const set = (place: string, values: readonly string[]) =>
        `${count(place)} ${outcome.flat}[${this.#outcomes.prefix}m] = ${random.text(values)};`;
      if (density.isOverElements)
        return this.#overElements(outcome, call, density, (place, _, values) => set(place, values));
      const place = placesText(call.outcome, outcome.places);
      return [`{ ${set(place, density.texts)} }`];
    }
    if (!isElement(call.outcome)) return { reason: 'its outcome is neither one variable nor one element', at };
    const target = (indices: string) => `${placesText(call.outcome, this.#outcomes.replicated(variable))}${indices}`;
    if (!density.isOverElements) {
      const place = placesText(call.outcome, outcome.places);
      return [`{ ${count(place)} ${target('')} = ${random.text(density.texts)}; }`];
    }
    const i = `${this.#outcomes.prefix}n`;
    return this.#overElements(
      outcome,
      call,
      density,
      (place, _, values) => `${count(place)} ${target(`[${i}]`)} = ${random.text(values)};`,
    );
  }

  #isFunction(name: string): boolean {
    return (
      this.#functions.lookup(name).length > 0 ||
      this.#program.functions.some(({ function: each }) => each.name === name)
    );
  }

  /**
   * A loop over the elements of an outcome. Arguments that cannot be written per element are computed before it, and with `computesProducts`, products
   * of matrices too, which take longer row by row.
   */
  #overElements(
    outcome: Outcome,
    { outcome: node }: DensityCall,
    density: DensityText,
    statement: (place: string, element: string, values: readonly string[]) => string,
    computesProducts = false,
  ): readonly string[] {
    const i = `${this.#outcomes.prefix}n`;
    const before: string[] = [];
    const local = (kind: string, name: string, text: string): string => {
      before.push(`${kind} ${name} = ${text};`);
      return `${name}[${i}]`;
    };
    const size = `size(${textOf(node)})`;
    const values = density.arguments.map((argument, place) => {
      if (!argument.isOverElements) return argument.text;
      const kind = listType(argument.type, size);
      const isProduct = computesProducts && kind !== undefined && argument.isProduct;
      const element = isProduct ? undefined : argument.element(i);
      if (element !== undefined) return element;
      return kind === undefined
        ? `(${argument.text})[${i}]`
        : local(kind, `${this.#outcomes.prefix}argument_${place + 1}`, argument.text);
    });
    const element = elementOf(node, i, this.#functions) ?? `(${textOf(node)})[${i}]`;
    const places = placesText(node, outcome.places);
    const kind = outcome.unitDimensions > 0 ? `array[${size}] int` : listType(node.type, size);
    const place =
      node.kind === 'variable' || kind === undefined
        ? `(${places})[${i}]`
        : local(kind, `${this.#outcomes.prefix}place`, places);
    const body = statement(place, element, values);
    return [`{ ${before.join(' ')} for (${i} in 1:${size}) { ${body} } }`];
  }
}

/** The value of a density as source. The function `name` may omit constants. */
function valueText(
  { density, truncation }: DensityValue,
  name: string,
  outcome: string,
  values: readonly string[],
): string {
  const text = callText(name, outcome, values);
  return truncation === undefined ? text : truncatedText(text, truncation, density, outcome, values);
}

/**
 * The value of a density between bounds: that of the whole distribution over the probability between them. In the upper tail, where the distribution
 * function rounds to 1 at both, it is the difference of the complementary probabilities.
 */
function truncatedText(
  whole: string,
  truncation: Truncation<Typed>,
  { family, name }: DensityText,
  outcome: string,
  values: readonly string[],
): string {
  const [lower, upper] = [truncation.lower, truncation.upper].map((bound) => bound && `(${textOf(bound)})`);
  // Bounds of integer distributions are inclusive.
  const least = lower !== undefined && name.endsWith('_lpmf') ? `${lower} - 1` : lower;
  const below = (bound: string) => callText(`${family}_lcdf`, bound, values);
  const above = (bound: string) => callText(`${family}_lccdf`, bound, values);
  const value = (mass: string, isOutside: string) => `(${isOutside} ? negative_infinity() : ${whole} - ${mass})`;
  if (least === undefined) return upper === undefined ? whole : value(below(upper), `${outcome} > ${upper}`);
  if (upper === undefined) return value(above(least), `${outcome} < ${lower}`);
  const [low, high] = [
    `log_diff_exp(${below(upper)}, ${below(least)})`,
    `log_diff_exp(${above(least)}, ${above(upper)})`,
  ];
  return value(`(${below(least)} < log(0.5) ? ${low} : ${high})`, `${outcome} < ${lower} || ${outcome} > ${upper}`);
}

/** A call of a density. */
function callText(name: string, outcome: string, values: readonly string[]): string {
  return `${name}(${[outcome, values.join(', ')].filter((part) => part !== '').join(' | ')})`;
}

function listType(type: Type, size: string): string | undefined {
  if (type.kind === 'vector' || type.kind === 'row_vector') return `${type.kind}[${size}]`;
  const isPlain = type.kind === 'array' && !isContainer(type.element);
  return isPlain ? `array[${size}] ${type.element.kind}` : undefined;
}
