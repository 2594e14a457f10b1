/** The outcomes of a program's likelihood, and the variables that a derived program has for each. */
import type { TypedProgram } from '../check/typed.js';
import { type Type, unwindArray } from '../language/types.js';
import { type DerivedKind, HELD_OUT_OF, HELD_OUT_SIZE_OF, LOG_LIKELIHOOD_OF, TERMS_OF } from './derived-names.js';
import { isContainer, textOf } from './elements.js';
import type { LikelihoodTerm } from './likelihood-terms.js';
import { plainType, sizesOf, type Unclear } from './observed.js';

/** Suffixes of replicated data. The first suffix that results in an unused name is used. */
const REPLICATED = ['_rep', '_sim', '_pred', '_tilde', '_new'];

/** Quantities that are computed for each draw. */
export type QuantityKind = Exclude<DerivedKind, 'prior'>;

/** An outcome and the names of its derived variables. */
export interface Outcome {
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

/** Collects the outcomes of terms, and writes the declarations, data and results of their variables. */
export class Outcomes {
  /** Beginning of the names of auxiliary variables. No name of the program starts with it. */
  readonly prefix: string;
  readonly #program: TypedProgram;
  readonly #terms: readonly LikelihoodTerm[];
  readonly #kind: QuantityKind;
  readonly #known = new Map<string, Outcome>();

  constructor(program: TypedProgram, terms: readonly LikelihoodTerm[], kind: QuantityKind) {
    this.#program = program;
    this.#terms = terms;
    this.#kind = kind;
    const taken = [...program.variables.values()].map(({ name }) => name);
    let prefix = 'own__';
    while (taken.some((name) => name.startsWith(prefix))) prefix = `x${prefix}`;
    this.prefix = prefix;
  }

  /** The outcomes of the terms so far. */
  get all(): readonly Outcome[] {
    return [...this.#known.values()];
  }

  /** The outcome of a term, or the reason why its observations cannot be distinguished. */
  of({ outcome: elements, statement, type, value, variable }: LikelihoodTerm): Outcome | Unclear {
    const at = statement.span;
    const unitDimensions =
      value.kind === 'density'
        ? dimensionsOf(value.density.unit)
        : value.kind === 'expression'
          ? dimensionsOf(elements.type)
          : 0;
    const known = this.#known.get(variable);
    if (known !== undefined) {
      return known.unitDimensions === unitDimensions
        ? known
        : { reason: `${variable} is also the outcome of densities with other dimensions`, at };
    }
    const all = sizesOf(type).map(textOf);
    if (unitDimensions > 0 && unitDimensions === all.length) {
      return { reason: 'it is a joint density of all observations, which cannot be left out one by one', at };
    }
    const sizes = all.slice(0, all.length - unitDimensions);
    const number = this.#known.size + 1;
    const name = (what: string) => `${this.prefix}${what}_${number}`;
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
    this.#known.set(variable, outcome);
    return outcome;
  }

  /** Declarations of the observations of all outcomes that are held out: data of the derived program. */
  heldOutData(): string {
    return this.all.map(({ variable }) => heldOutData(variable)).join(' ');
  }

  /** The container that holds the index of each element, and the one that marks elements that are not held out. */
  placesOf({ kept, places, sizes, type, unitDimensions, variable }: Outcome): string {
    const isWhole = unitDimensions === 0;
    const declared = isWhole ? plainType(type) : arrayOf(sizes, 'int');
    const text = `${declared} ${places}; ${this.#numbered(sizes, (index, number) => `${places}${index} = ${number};`)}`;
    if (this.#kind !== 'held_out') return text;
    const [flat, held] = [`${this.prefix}flat`, `${this.prefix}held`];
    const marks = this.#numbered(sizes, (index, number) => `${kept}${index} = ${flat}[${number}];`);
    const count = countOf(sizes);
    return (
      `${text} ${declared} ${kept}; { array[${count}] int ${flat} = rep_array(1, ${count}); ` +
      `for (${held} in ${HELD_OUT_OF}${variable}) ${flat}[${held}] = 0; ${marks} }`
    );
  }

  /** Declarations of the quantities of an outcome. */
  declarations({ sizes, type, variable }: Outcome): readonly string[] {
    if (this.#kind === 'replicated') return [`${plainType(type)} ${this.replicated(variable)} = ${variable};`];
    return [
      `${arrayOf(sizes, 'real')} ${LOG_LIKELIHOOD_OF}${variable};`,
      ...(this.#countsTerms(variable) ? [`${arrayOf(sizes, 'int')} ${TERMS_OF}${variable};`] : []),
    ];
  }

  /** The name of the replicated data of an outcome. */
  replicated(variable: string): string {
    const taken = new Set(
      [...this.#program.variables.values()].flatMap((each) =>
        each.block === 'generated quantities' ? [] : [each.name],
      ),
    );
    const ending = REPLICATED.find((each) => !taken.has(`${variable}${each}`)) ?? REPLICATED[0];
    return `${variable}${ending}`;
  }

  /** Declarations of the local variables in which the terms of an outcome are added up. */
  accumulators({ flat, isInt, sizes, terms, unitDimensions }: Outcome): readonly string[] {
    const count = countOf(sizes);
    const ints = (name: string) => `array[${count}] int ${name} = rep_array(0, ${count});`;
    const reals = (name: string) => `vector[${count}] ${name} = rep_vector(0, ${count});`;
    if (this.#kind !== 'replicated') return [reals(flat), ints(terms)];
    if (unitDimensions > 0) return [ints(terms)];
    return [isInt ? ints(flat) : reals(flat), ints(terms)];
  }

  /** The statements that copy what has been added up to the quantities of an outcome. */
  results(outcome: Outcome): string {
    const { flat, sizes, terms, unitDimensions, variable } = outcome;
    if (this.#kind === 'replicated') {
      if (unitDimensions > 0) return '';
      const name = this.replicated(variable);
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

  /** Whether some elements may not be outcomes. */
  #countsTerms(variable: string): boolean {
    return this.#terms.some(
      (term) =>
        term.variable === variable &&
        (term.isNested || !(term.value.kind === 'density' && term.outcome.kind === 'variable')),
    );
  }

  /** A statement for each element in row-major order: `index` is `[i, j]`, or '' for a scalar, and `number` counts from 1. */
  #numbered(sizes: readonly string[], line: (index: string, number: string) => string): string {
    if (sizes.length === 0) return line('', '1');
    const number = `${this.prefix}number`;
    const indices = sizes.map((_, index) => `${this.prefix}i${index + 1}`);
    const loops = sizes.map((size, index) => `for (${indices[index]} in 1:${size})`).join(' ');
    return `{ int ${number} = 0; ${loops} { ${number} += 1; ${line(`[${indices.join(', ')}]`, number)} } }`;
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

/** The number of elements of a container. */
function countOf(sizes: readonly string[]): string {
  return sizes.length === 0 ? '1' : sizes.map((size) => `(${size})`).join(' * ');
}

/** Declarations of the observations of an outcome that are held out. */
function heldOutData(variable: string): string {
  const size = HELD_OUT_SIZE_OF + variable;
  return `int<lower=0> ${size}; array[${size}] int ${HELD_OUT_OF}${variable};`;
}
