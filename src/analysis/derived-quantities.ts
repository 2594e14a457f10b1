/**
 * Derives a program that computes, from the draws of another one, the log likelihood of each observation or replicated data. It has the data and
 * parameters of the other program, and generated quantities derived from its likelihood:
 *
 * - `log_lik__y` has the shape of the outcome `y`, without the dimensions of one observation. `terms__y` is 1 for elements of `y` that are outcomes
 *   and 0 for others.
 * - `y_rep` has the shape of `y`. Elements that are not outcomes are copied from `y`.
 *
 * The program without some observations also has its own model block, in which their terms are left out, and the log likelihood of all observations. Its
 * data have the numbers of those observations in addition.
 */
import { check } from '../check/check.js';
import type { TypedProgram } from '../check/typed.js';
import { FUNCTIONS } from '../functions/table.js';
import type { FunctionSignatures } from '../language/overloads.js';
import { type Type, unwindArray } from '../language/types.js';
import { type Diagnostic, errorAt } from '../source/diagnostic.js';
import { spanText } from '../source/span.js';
import { parse } from '../syntax/parse.js';
import { copiedModel, neededLocals, normalized, wholeModel } from './copied-model.js';
import type { DensityText } from './density-text.js';
import { type DerivedKind, HELD_OUT_OF, HELD_OUT_SIZE_OF, LOG_LIKELIHOOD_OF, TERMS_OF } from './derived-names.js';
import { derivePrior } from './derived-prior.js';
import { elementOf, isContainer, textOf } from './elements.js';
import { keptDensity, remainderOf } from './held-out-terms.js';
import { type DensityValue, type LikelihoodTerm, likelihoodTerms } from './likelihood-terms.js';
import { type DensityCall, isUnclear, keyOf, plainType, sizesOf, type Unclear } from './observed.js';
import { isElement, placesText } from './outcome-places.js';
import type { ProgramText } from './program-text.js';

/** Suffixes of replicated data. The first one that gives an unused name is chosen. */
const REPLICATED = ['_rep', '_sim', '_pred', '_tilde', '_new'];

/** Quantities that are computed for each draw. */
type QuantityKind = Exclude<DerivedKind, 'prior'>;

/** The derived program, or the reason why it cannot be derived; for a program with errors, these errors. */
export function deriveQuantities(
  source: ProgramText,
  kind: DerivedKind,
  functions: FunctionSignatures = FUNCTIONS,
): ProgramText | readonly Diagnostic[] {
  const program = checked(source, functions);
  if ('diagnostics' in program) return program.diagnostics;
  if (kind === 'prior') return derivePrior(source, program);
  const terms = likelihoodTerms(program, functions);
  if (isUnclear(terms)) return [refusal(kind, terms)];
  const derived = new Derivation(program, functions, terms, kind).text();
  if (typeof derived !== 'string') return [refusal(kind, derived)];
  const text = { ...source, text: derived };
  const outcome = checked(text, functions);
  if (!('diagnostics' in outcome)) return text;
  // Checks each statement separately to find the one that cannot be derived.
  const wrong = terms.find((term) => {
    const alone = new Derivation(program, functions, [term], kind).text();
    return typeof alone !== 'string' || 'diagnostics' in checked({ ...source, text: alone }, functions);
  });
  const [{ statement }] = wrong === undefined ? terms : [wrong];
  return [refusal(kind, { reason: 'its terms cannot be computed for each observation', at: statement.span })];
}

const NAMES: Readonly<Record<QuantityKind, string>> = {
  log_lik: 'The log likelihood of each observation',
  replicated: 'Replicated data',
  held_out: 'The posterior without an observation',
};

const ADVICE: Readonly<Record<QuantityKind, readonly string[]>> = {
  log_lik: ['Compute log_lik in the generated quantities.'],
  replicated: ['Compute y_rep in the generated quantities.'],
  held_out: [],
};

function refusal(kind: QuantityKind, { at, reason }: Unclear): Diagnostic {
  const message = `${NAMES[kind]} cannot be derived from this statement: ${reason}.`;
  return errorAt('unsupported', at, [message, ...ADVICE[kind]].join(' '));
}

function checked(
  { includes, name, text }: ProgramText,
  functions: FunctionSignatures,
): TypedProgram | { readonly diagnostics: readonly Diagnostic[] } {
  const parsed = parse({ name, text }, new Map(Object.entries(includes)));
  if ('diagnostics' in parsed) return parsed;
  const found = check(parsed.program, functions);
  return 'program' in found ? found.program : found;
}

/** An outcome and the names of its derived variables. */
interface Outcome {
  readonly variable: string;
  readonly type: LikelihoodTerm['type'];
  readonly isInt: boolean;
  /** Sizes of all dimensions except those of one observation. */
  readonly sizes: readonly string[];
  /** Number of dimensions of one observation. */
  readonly unitDimensions: number;
  /** Name of the container with the index of each element. */
  readonly places: string;
  /** Name of the container that is 1 for elements that are not held out, and 0 for others. */
  readonly kept: string;
  /** Name of the result, by the index of the element. */
  readonly flat: string;
  readonly terms: string;
}

class Derivation {
  readonly #program: TypedProgram;
  readonly #functions: FunctionSignatures;
  readonly #terms: readonly LikelihoodTerm[];
  readonly #kind: QuantityKind;
  readonly #prefix: string;
  readonly #outcomes = new Map<string, Outcome>();
  /** Declarations of the variables that mark elements which a statement has already counted. */
  readonly #marks: string[] = [];

  constructor(
    program: TypedProgram,
    functions: FunctionSignatures,
    terms: readonly LikelihoodTerm[],
    kind: QuantityKind,
  ) {
    this.#program = program;
    this.#functions = functions;
    this.#terms = terms;
    this.#kind = kind;
    const taken = [...program.variables.values()].map(({ name }) => name);
    let prefix = 'own__';
    while (taken.some((name) => name.startsWith(prefix))) prefix = `x${prefix}`;
    this.#prefix = prefix;
  }

  text(): string | Unclear {
    const replacements = this.#replacements((term, outcome, index) => this.#linesOf(term, outcome, index));
    if (isUnclear(replacements)) return replacements;
    const model = this.#kind === 'held_out' ? this.#keptModel() : '';
    if (typeof model !== 'string') return model;
    const outcomes = [...this.#outcomes.values()];
    const locals = neededLocals(
      this.#program,
      this.#terms.map(({ statement }) => statement),
    );
    const quantities = [
      ` model { ${model} } generated quantities {`,
      ...outcomes.flatMap((outcome) => this.#declarations(outcome)),
      '{',
      ...outcomes.flatMap((outcome) => this.#accumulators(outcome)),
      ...this.#marks,
      copiedModel(this.#program, replacements, locals),
      ...outcomes.map((outcome) => this.#results(outcome)),
      '} }\n',
    ];
    const prepared = outcomes.map((outcome) => this.#placesOf(outcome)).join(' ');
    const given = this.#kind === 'held_out' ? outcomes.map(({ variable }) => heldOutData(variable)).join(' ') : '';
    return this.#blocks(given, prepared) + quantities.join('\n');
  }

  /** The lines that replace the statement of each term, by the `keyOf` of its span. */
  #replacements(
    linesOf: (term: LikelihoodTerm, outcome: Outcome, index: number) => readonly string[] | Unclear,
  ): Map<string, readonly string[]> | Unclear {
    const replacements = new Map<string, readonly string[]>();
    for (const [index, term] of this.#terms.entries()) {
      const outcome = this.#outcomeOf(term);
      if (isUnclear(outcome)) return outcome;
      const lines = linesOf(term, outcome, index);
      if (isUnclear(lines)) return lines;
      const key = keyOf(term.statement.span);
      replacements.set(key, [...(replacements.get(key) ?? []), ...lines]);
    }
    return replacements;
  }

  /** The model block, in which each term is added unless its observation is held out. */
  #keptModel(): string | Unclear {
    const replacements = this.#replacements((term, outcome) => this.#keptLines(term, outcome));
    if (isUnclear(replacements)) return replacements;
    for (const { statement } of this.#terms) {
      if (statement.kind !== 'target') continue;
      const addends = this.#terms.flatMap((term) => (term.statement === statement && term.addend) || []);
      const rest = remainderOf(statement.value, addends);
      const key = keyOf(statement.span);
      if (rest !== undefined) replacements.set(key, [`target += ${rest};`, ...(replacements.get(key) ?? [])]);
    }
    return wholeModel(this.#program, replacements);
  }

  #keptLines(term: LikelihoodTerm, outcome: Outcome): readonly string[] {
    const { value } = term;
    const add = (place: string, text: string) => `{ if (${place} > 0) target += ${text}; }`;
    if (value.kind === 'density') {
      const { call, density } = value;
      const kept = { ...outcome, places: outcome.kept };
      const name = keptDensity(term, density.name);
      const textWith = (of: string, values: readonly string[]) => callText(name, of, values);
      if (density.isOverElements) {
        const lines = (place: string, of: string, values: readonly string[]) => add(place, textWith(of, values));
        return this.#overElements(kept, call, density, lines, true);
      }
      return [add(placesText(call.outcome, outcome.kept), textWith(textOf(call.outcome), density.texts))];
    }
    const text = textOf(value.expression);
    if (value.kind === 'expression') return [add(placesText(value.outcome.outcome, outcome.kept), text)];
    const i = `${this.#prefix}n`;
    return [`for (${i} in 1:size(${text})) ${add(`${outcome.kept}[${i}]`, `${text}[${i}]`)}`];
  }

  /** All blocks before the model, on their original lines, so that messages refer to the right ones, with more data and transformed data. */
  #blocks(given: string, prepared: string): string {
    const { functions, data, transformedData, parameters, transformedParameters } = this.#program.tree;
    let text = '';
    const addData = given === '' ? undefined : ` data { ${given} }`;
    const addTransformedData = ` transformed data { ${prepared} }`;
    for (const block of [
      ...[functions, data ?? addData, transformedData ?? addTransformedData],
      ...[parameters, transformedParameters],
    ]) {
      if (typeof block === 'string') text += block;
      else if (block !== undefined) {
        const { begin } = block.span;
        text += '\n'.repeat(Math.max(0, begin.line - text.split('\n').length));
        const column = text.length - text.lastIndexOf('\n') - 1;
        text += ' '.repeat(Math.max(Math.min(column, 1), begin.column - column));
        const written = spanText(block.span);
        const more = block === data ? given : block === transformedData ? prepared : '';
        text += more === '' ? written : written.replace(/\}$/, () => ` ${more} }`);
      }
    }
    return text;
  }

  #outcomeOf({ statement, type, value, variable }: LikelihoodTerm): Outcome | Unclear {
    const at = statement.span;
    const unitDimensions =
      value.kind === 'density'
        ? dimensionsOf(value.density.unit)
        : value.kind === 'expression'
          ? dimensionsOf(value.outcome.outcome.type)
          : 0;
    const known = this.#outcomes.get(variable);
    if (known !== undefined) {
      return known.unitDimensions === unitDimensions
        ? known
        : { reason: `${variable} is also the outcome of densities of other dimensions`, at };
    }
    const all = sizesOf(type).map(textOf);
    if (unitDimensions > 0 && unitDimensions === all.length) {
      return { reason: 'it is one density of all observations together, which cannot be left out one by one', at };
    }
    const sizes = all.slice(0, all.length - unitDimensions);
    const number = this.#outcomes.size + 1;
    const name = (what: string) => `${this.#prefix}${what}_${number}`;
    const outcome: Outcome = {
      variable,
      type,
      sizes,
      unitDimensions,
      isInt: innermost(type) === 'int',
      places: name('places'),
      kept: name('kept'),
      flat: name('flat'),
      terms: name('terms'),
    };
    this.#outcomes.set(variable, outcome);
    return outcome;
  }

  /** The container that holds the index of each element, and the one that marks elements that are not held out. */
  #placesOf({ kept, places, sizes, type, unitDimensions, variable }: Outcome): string {
    const isWhole = unitDimensions === 0;
    const declared = isWhole ? plainType(type) : arrayOf(sizes, 'int');
    const text = `${declared} ${places}; ${this.#numbered(sizes, (index, number) => `${places}${index} = ${number};`)}`;
    if (this.#kind !== 'held_out') return text;
    const [flat, held] = [`${this.#prefix}flat`, `${this.#prefix}held`];
    const marks = this.#numbered(sizes, (index, number) => `${kept}${index} = ${flat}[${number}];`);
    const count = countOf(sizes);
    return (
      `${text} ${declared} ${kept}; { array[${count}] int ${flat} = rep_array(1, ${count}); ` +
      `for (${held} in ${HELD_OUT_OF}${variable}) ${flat}[${held}] = 0; ${marks} }`
    );
  }

  /** A statement for each element in row-major order: `index` is `[i, j]`, or '' for a scalar, and `number` counts from 1. */
  #numbered(sizes: readonly string[], line: (index: string, number: string) => string): string {
    if (sizes.length === 0) return line('', '1');
    const number = `${this.#prefix}number`;
    const indices = sizes.map((_, index) => `${this.#prefix}i${index + 1}`);
    const loops = sizes.map((size, index) => `for (${indices[index]} in 1:${size})`).join(' ');
    return `{ int ${number} = 0; ${loops} { ${number} += 1; ${line(`[${indices.join(', ')}]`, number)} } }`;
  }

  #declarations({ sizes, type, variable }: Outcome): readonly string[] {
    if (this.#kind === 'replicated') return [`${plainType(type)} ${this.#replicated(variable)} = ${variable};`];
    return [
      `${arrayOf(sizes, 'real')} ${LOG_LIKELIHOOD_OF}${variable};`,
      ...(this.#countsTerms(variable) ? [`${arrayOf(sizes, 'int')} ${TERMS_OF}${variable};`] : []),
    ];
  }

  #replicated(variable: string): string {
    const taken = new Set(
      [...this.#program.variables.values()].flatMap((each) =>
        each.block === 'generated quantities' ? [] : [each.name],
      ),
    );
    const ending = REPLICATED.find((each) => !taken.has(`${variable}${each}`)) ?? REPLICATED[0];
    return `${variable}${ending}`;
  }

  /** Whether some elements may not be outcomes. */
  #countsTerms(variable: string): boolean {
    return this.#terms.some(
      (term) =>
        term.variable === variable &&
        (term.isNested || !(term.value.kind === 'density' && term.value.call.outcome.kind === 'variable')),
    );
  }

  #accumulators({ flat, isInt, sizes, terms, unitDimensions }: Outcome): readonly string[] {
    const count = countOf(sizes);
    const ints = (name: string) => `array[${count}] int ${name} = rep_array(0, ${count});`;
    const reals = (name: string) => `vector[${count}] ${name} = rep_vector(0, ${count});`;
    if (this.#kind !== 'replicated') return [reals(flat), ints(terms)];
    if (unitDimensions > 0) return [ints(terms)];
    return [isInt ? ints(flat) : reals(flat), ints(terms)];
  }

  #results(outcome: Outcome): string {
    const { flat, sizes, terms, unitDimensions, variable } = outcome;
    if (this.#kind === 'replicated') {
      if (unitDimensions > 0) return '';
      const name = this.#replicated(variable);
      return this.#numbered(
        sizes,
        (index, number) => `if (${terms}[${number}] > 0) ${name}${index} = ${flat}[${number}];`,
      );
    }
    const counts = this.#countsTerms(variable);
    return this.#numbered(sizes, (index, number) =>
      [
        `${LOG_LIKELIHOOD_OF}${variable}${index} = ${flat}[${number}];`,
        ...(counts ? [`${TERMS_OF}${variable}${index} = ${terms}[${number}];`] : []),
      ].join(' '),
    );
  }

  /** The statements that replace the statement of a term. */
  #linesOf(term: LikelihoodTerm, outcome: Outcome, index: number): readonly string[] | Unclear {
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
      const place = placesText(value.outcome.outcome, outcome.places);
      return [`{ ${this.#add(term, outcome, index, place, text)} }`];
    }
    const i = `${this.#prefix}n`;
    const place = `${outcome.places}[${i}]`;
    return [`for (${i} in 1:size(${text})) { ${this.#add(term, outcome, index, place, `${text}[${i}]`)} }`];
  }

  /** Adds to the sum of an element. If a statement adds to one element twice, the observation is ambiguous. */
  #add(term: LikelihoodTerm, outcome: Outcome, index: number, place: string, value: string): string {
    return `${this.#count(term, outcome, index, place)} ${outcome.flat}[${this.#prefix}m] += ${value};`;
  }

  #count({ statement, variable }: LikelihoodTerm, outcome: Outcome, index: number, place: string): string {
    const { isInt, terms, unitDimensions } = outcome;
    const number = isInt || unitDimensions > 0 ? place : `to_int(${place})`;
    const m = `${this.#prefix}m`;
    const seen = `${this.#prefix}seen_${index + 1}`;
    const size = `size(${terms})`;
    const declared = `array[${size}] int ${seen} = rep_array(0, ${size});`;
    if (!this.#marks.includes(declared)) this.#marks.push(declared);
    const [shown] = spanText(statement.span).split('\n');
    const message =
      `Line ${statement.span.begin.line}, ${shown.replace(/["\\]/g, "'")}: an element of ${variable} is the outcome of several of its ` +
      'terms.';
    const isTwice = this.#kind === 'replicated' ? `${terms}[${m}]` : `${seen}[${m}]`;
    return `int ${m} = ${number}; if (${isTwice} == 1) fatal_error("${message}"); ${seen}[${m}] = 1; ${terms}[${m}] = 1;`;
  }

  #density(term: LikelihoodTerm, outcome: Outcome, index: number, { call, density }: DensityValue): readonly string[] {
    const value = (of: string, values: readonly string[]) => callText(density.name, of, values);
    if (!density.isOverElements) {
      const place = placesText(call.outcome, outcome.places);
      return [`{ ${this.#add(term, outcome, index, place, value(textOf(call.outcome), density.texts))} }`];
    }
    return this.#overElements(outcome, call, density, (place, of, values) =>
      this.#add(term, outcome, index, place, value(of, values)),
    );
  }

  #simulation(
    term: LikelihoodTerm,
    outcome: Outcome,
    index: number,
    { call, density }: DensityValue,
  ): readonly string[] | Unclear {
    const { statement, variable } = term;
    const at = statement.span;
    const random = density.random(this.#functions);
    const { unitDimensions } = outcome;
    if (!this.#isFunction(random.name)) {
      return { reason: `there is no function ${random.name} that simulates ${variable}`, at };
    }
    const count = (place: string) => this.#count(term, outcome, index, place);
    if (unitDimensions === 0) {
      const set = (place: string, values: readonly string[]) =>
        `${count(place)} ${outcome.flat}[${this.#prefix}m] = ${random.text(values)};`;
      if (density.isOverElements)
        return this.#overElements(outcome, call, density, (place, _, values) => set(place, values));
      const place = placesText(call.outcome, outcome.places);
      return [`{ ${set(place, density.texts)} }`];
    }
    if (!isElement(call.outcome)) return { reason: 'its outcome is neither one variable nor one element', at };
    const target = (indices: string) => `${placesText(call.outcome, this.#replicated(variable))}${indices}`;
    if (!density.isOverElements) {
      const place = placesText(call.outcome, outcome.places);
      return [`{ ${count(place)} ${target('')} = ${random.text(density.texts)}; }`];
    }
    const i = `${this.#prefix}n`;
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
    const i = `${this.#prefix}n`;
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
        : local(kind, `${this.#prefix}argument_${place + 1}`, argument.text);
    });
    const element = elementOf(node, i, this.#functions) ?? `(${textOf(node)})[${i}]`;
    const places = placesText(node, outcome.places);
    const kind = outcome.unitDimensions > 0 ? `array[${size}] int` : listType(node.type, size);
    const place =
      node.kind === 'variable' || kind === undefined
        ? `(${places})[${i}]`
        : local(kind, `${this.#prefix}place`, places);
    const body = statement(place, element, values);
    return [`{ ${before.join(' ')} for (${i} in 1:${size}) { ${body} } }`];
  }
}

function dimensionsOf(type: Type): number {
  const { depth, element } = unwindArray(type);
  if (element.kind === 'matrix') return depth + 2;
  return depth + (isContainer(element) ? 1 : 0);
}

function innermost(type: LikelihoodTerm['type']): string {
  return type.kind === 'array' ? innermost(type.element) : type.kind;
}

/** An array type with these sizes; without sizes, the element type itself. */
function arrayOf(sizes: readonly string[], type: string): string {
  return sizes.length === 0 ? type : `array[${sizes.join(', ')}] ${type}`;
}

/** A call of a density. */
function callText(name: string, outcome: string, values: readonly string[]): string {
  return `${name}(${[outcome, values.join(', ')].filter((part) => part !== '').join(' | ')})`;
}

/** The number of elements of a container. */
function countOf(sizes: readonly string[]): string {
  return sizes.length === 0 ? '1' : sizes.map((size) => `(${size})`).join(' * ');
}

/** Declarations of the observations of an outcome that are held out. */
function heldOutData(variable: string): string {
  const size = HELD_OUT_SIZE_OF + variable;
  return `int<lower=0> ${size}; array[${size}] int ${HELD_OUT_OF}${variable};`;
}

function listType(type: Type, size: string): string | undefined {
  if (type.kind === 'vector' || type.kind === 'row_vector') return `${type.kind}[${size}]`;
  const isPlain = type.kind === 'array' && !isContainer(type.element);
  return isPlain ? `array[${size}] ${type.element.kind}` : undefined;
}
