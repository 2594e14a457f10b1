/**
 * Generated quantities for checking a model, derived from its densities of data: simulated data (`y_rep`) and the log
 * likelihood of each observation (`log_lik`). A suggestion is offered only if the program has no errors with it.
 */
import { check } from '../check/check.js';
import type { TypedProgram } from '../check/typed.js';
import type { FunctionSignatures } from '../language/overloads.js';
import { type Type, unwindArray } from '../language/types.js';
import { format } from '../syntax/format.js';
import { parse } from '../syntax/parse.js';
import { copiedModel, neededLocals, normalized } from './copied-model.js';
import { DensityText } from './density-text.js';
import { elementOf, isContainer, textOf } from './elements.js';
import { isUnclear, keyOf, type Observed, observedIn, plainType, sizesOf, type Unclear } from './observed.js';
import { type Edit, edited, type ProgramText } from './program-text.js';
import { stretchOf } from './symbols.js';

/** Names of these quantities in programs. */
export interface QuantityNames {
  /** Suffixes for simulations of a data variable. New simulations use the first one. */
  readonly simulated: readonly string[];
  readonly logLikelihood: string;
}

/** Suggested additions to a program. */
export interface Missing {
  /** The lines to add to the block; empty if nothing is missing. */
  readonly lines: string;
  readonly edits: readonly Edit[];
  /** The variables that the lines declare. */
  readonly names: readonly string[];
  /** Messages about missing quantities that cannot be derived. */
  readonly unclear: readonly string[];
}

/** A quantity to declare, and its computation, which replaces the statement from which it is derived. */
interface Quantity {
  readonly name: string;
  readonly type: string;
  readonly source: Observed;
  /** An expression for the whole quantity, a statement, or an expression per element. */
  readonly computed:
    | { readonly kind: 'value'; readonly text: string }
    | { readonly kind: 'statement'; readonly text: string }
    | { readonly kind: 'each'; readonly loop: ElementLoop };
}

interface ElementLoop {
  /** The head of the loop, such as `for (n in 1:N)`. */
  readonly head: string;
  readonly statement: string;
  /** Declarations before the loop, of values that are computed once for all elements. */
  readonly before: readonly string[];
}

/** The missing quantities of a program that can be derived; undefined for a program with errors. */
export function missingQuantities(
  source: ProgramText,
  functions: FunctionSignatures,
  names: QuantityNames,
): Missing | undefined {
  const program = checked(source, functions);
  return program && new Search(source, program, functions, names).result();
}

function checked({ name, text, includes }: ProgramText, functions: FunctionSignatures): TypedProgram | undefined {
  const parsed = parse({ name, text }, new Map(Object.entries(includes)));
  if (!('program' in parsed)) return undefined;
  const found = check(parsed.program, functions);
  return 'program' in found ? found.program : undefined;
}

class Search {
  readonly #source: ProgramText;
  readonly #program: TypedProgram;
  readonly #functions: FunctionSignatures;
  readonly #names: QuantityNames;
  /** All names in the program, which new variables must not have. */
  readonly #taken: ReadonlySet<string>;
  readonly #unclear: string[] = [];
  #found: readonly Quantity[] = [];

  constructor(source: ProgramText, program: TypedProgram, functions: FunctionSignatures, names: QuantityNames) {
    this.#source = source;
    this.#program = program;
    this.#functions = functions;
    this.#names = names;
    this.#taken = new Set([...program.variables.values()].map(({ name }) => name));
  }

  result(): Missing {
    const { logLikelihood, simulated } = this.#names;
    const all = observedIn(this.#program);
    const known = all.filter((each): each is Observed => !isUnclear(each));
    const lacksSimulation = (variable: string) => !simulated.some((ending) => this.#taken.has(variable + ending));
    const lacksTerms = !this.#taken.has(logLikelihood);
    const isSimulated = [...this.#taken].some((name) => simulated.some((ending) => name.endsWith(ending)));
    for (const each of all) {
      if (isUnclear(each)) {
        if (lacksTerms || !isSimulated) this.#explain('what checks need', each);
      } else if (lacksSimulation(each.variable)) {
        const isOnly = known.filter(({ variable }) => variable === each.variable).length === 1;
        this.#offer(this.#simulationOf(each.variable), each, isOnly ? this.#simulations(each) : severalOf(each));
      }
    }
    const [only] = known;
    if (lacksTerms && only !== undefined && known.length === all.length) {
      const several = { reason: 'other statements also condition on data', at: only.statement.span };
      this.#offer(logLikelihood, only, known.length > 1 ? several : this.#logLikelihood(only));
    }
    const { edits, lines } = this.#added(this.#found);
    return { lines, edits, names: this.#found.map(({ name }) => name), unclear: [...new Set(this.#unclear)] };
  }

  /** Adds the first of several computations of a quantity with which the program has no errors. */
  #offer(name: string, { statement }: Observed, ways: readonly Quantity[] | Unclear): void {
    if (isUnclear(ways)) {
      this.#explain(name, ways);
      return;
    }
    const right = ways.find((way) => this.#isRight([...this.#found, way]));
    if (right !== undefined) this.#found = [...this.#found, right];
    else this.#explain(name, { reason: 'it cannot be computed for each observation', at: statement.span });
  }

  #explain(name: string, { reason, at }: Unclear): void {
    this.#unclear.push(`Line ${at.begin.line} does not determine ${name}: ${reason}.`);
  }

  #simulationOf(variable: string): string {
    return `${variable}${this.#names.simulated[0]}`;
  }

  #isRight(quantities: readonly Quantity[]): boolean {
    const { edits } = this.#added(quantities);
    return edits.length > 0 && checked(edited(this.#source, edits), this.#functions) !== undefined;
  }

  /** Computations that simulate an outcome, as a whole with one call, or element by element. */
  #simulations(source: Observed): readonly Quantity[] | Unclear {
    const { call, indices, isGiven, statement, variable } = source;
    const at = statement.span;
    if (!isGiven)
      return { reason: `the program computes ${variable}, but simulations are compared only with given data`, at };
    if (call === undefined)
      return { reason: `its densities are part of an expression, which does not define how ${variable} is drawn`, at };
    const density = new DensityText(call, this.#functions);
    const random = `${density.family}_rng`;
    const result = this.#resultOf(random);
    if (result === undefined) return { reason: `there is no function ${random} that simulates ${variable}`, at };
    const name = this.#simulationOf(variable);
    const sizes = sizesOf(source.type).map(textOf);
    const type = isContainer(result) ? plainType(source.type) : arrayType(sizes, result.kind);
    const whole = `${random}(${density.arguments.map(({ text }) => text).join(', ')})`;
    const place = (...others: readonly string[]) => elementText(name, [...indices, ...others]);
    const quantity = (computed: Quantity['computed']): Quantity => ({ name, type, source, computed });
    if (!density.isOverElements) {
      return [
        quantity(
          indices.length === 0 ? { kind: 'value', text: whole } : { kind: 'statement', text: `${place()} = ${whole};` },
        ),
      ];
    }
    const each = this.#overElements(
      source,
      density,
      (index, values) => `${place(index)} = ${random}(${values.join(', ')});`,
    );
    const isVectorized = indices.length === 0 && density.arguments.some(({ isOverElements }) => isOverElements);
    return [
      ...(isVectorized ? [quantity({ kind: 'value', text: whole })] : []),
      ...(each === undefined ? [] : [quantity({ kind: 'each', loop: each })]),
    ];
  }

  #logLikelihood(source: Observed): readonly Quantity[] | Unclear {
    const { call, indices, statement, type } = source;
    const name = this.#names.logLikelihood;
    const density = call && new DensityText(call, this.#functions);
    const sizes = sizesOf(type)
      .map(textOf)
      .slice(0, indices.length + (density?.isOverElements === true ? 1 : 0));
    if (sizes.length === 0)
      return {
        reason: 'it is a joint density of all observations, which cannot be left out one by one',
        at: statement.span,
      };
    const kind =
      sizes.length === 1
        ? `vector[${sizes[0]}]`
        : sizes.length === 2
          ? `matrix[${sizes.join(', ')}]`
          : arrayType(sizes, 'real');
    const place = (...others: readonly string[]) => elementText(name, [...indices, ...others]);
    const quantity = (computed: Quantity['computed']): Quantity => ({ name, type: kind, source, computed });
    const single = (text: string): Quantity[] => [quantity({ kind: 'statement', text })];
    if (call === undefined || density === undefined) {
      return statement.kind === 'target' ? single(`${place()} = ${normalized(textOf(statement.value))};`) : [];
    }
    const value = (outcome: string, values: readonly string[]) =>
      `${density.name}(${[outcome, values.join(', ')].filter((part) => part !== '').join(' | ')})`;
    if (!density.isOverElements) {
      return single(
        `${place()} = ${value(
          textOf(call.outcome),
          density.arguments.map(({ text }) => text),
        )};`,
      );
    }
    const each = this.#overElements(source, density, (index, values) => {
      const outcome = elementOf(call.outcome, index, this.#functions) ?? `${textOf(call.outcome)}[${index}]`;
      return `${place(index)} = ${value(outcome, values)};`;
    });
    return each === undefined ? [] : [quantity({ kind: 'each', loop: each })];
  }

  /**
   * A loop over the elements of an outcome. Arguments that cannot be written per element are computed before the loop.
   */
  #overElements(
    { indices, type }: Observed,
    density: DensityText,
    statement: (index: string, values: readonly string[]) => string,
  ): ElementLoop | undefined {
    const index = this.#free(['n', 'i', 'k', 'obs'], indices);
    const size = textOf(sizesOf(type)[indices.length]);
    const before: string[] = [];
    const values = density.arguments.map((argument, place) => {
      if (!argument.isOverElements) return argument.text;
      const element = argument.element(index);
      if (element !== undefined) return element;
      const kind = listType(argument.type, size);
      if (kind === undefined) return undefined;
      const local = this.#free([`argument_${place + 1}`], []);
      before.push(`${kind} ${local} = ${argument.text};`);
      return `${local}[${index}]`;
    });
    const known = values.filter((value) => value !== undefined);
    if (known.length < values.length) return undefined;
    return { head: `for (${index} in 1:${size})`, statement: statement(index, known), before };
  }

  #free(names: readonly string[], used: readonly string[]): string {
    let [free] = names;
    for (const name of names) {
      free = name;
      if (!this.#taken.has(name) && !used.includes(name)) break;
    }
    while (this.#taken.has(free) || used.includes(free)) free += '_';
    return free;
  }

  /** The result type of a function; undefined if it does not exist. */
  #resultOf(name: string): Type | undefined {
    const own = this.#program.functions.find(({ function: each }) => each.name === name)?.function;
    const result = own?.result ?? this.#functions.lookup(name)[0]?.result;
    return result && unwindArray(result).element;
  }

  /** The lines that declare and compute quantities, and the edits that insert them. */
  #added(quantities: readonly Quantity[]): Pick<Missing, 'lines' | 'edits'> {
    const parsed = parse({ name: '', text: `generated quantities {\n${this.#body(quantities)}\n}\n` });
    if (quantities.length === 0 || !('program' in parsed)) return { lines: '', edits: [] };
    const block = format(parsed.program);
    const lines = block.split('\n').slice(1, -2).join('\n');
    const { generatedQuantities, ...others } = this.#program.tree;
    if (generatedQuantities !== undefined) {
      const { file, offset } = generatedQuantities.span.end;
      const lineStart = file.text.lastIndexOf('\n', offset - 1) + 1;
      const isAlone = file.text.slice(lineStart, offset - 1).trim() === '';
      const from = isAlone ? lineStart : offset - 1;
      return {
        lines,
        edits: [{ at: { file: file.name, from, to: from }, text: isAlone ? `${lines}\n` : `\n${lines}\n` }],
      };
    }
    const ends = [others.data, others.transformedData, others.parameters, others.transformedParameters, others.model]
      .flatMap((each) => (each === undefined ? [] : [stretchOf(each.span)]))
      .filter(({ file }) => file === this.#source.name);
    const from = Math.max(...ends.map(({ to }) => to), 0);
    return { lines, edits: [{ at: { file: this.#source.name, from, to: from }, text: `\n${block.trimEnd()}` }] };
  }

  #body(quantities: readonly Quantity[]): string {
    const locals = neededLocals(
      this.#program,
      quantities.map(({ source }) => source.statement),
    );
    const isInitial = ({ computed, source }: Quantity) =>
      computed.kind === 'value' && locals.size === 0 && !source.isInLoop;
    const rest = quantities.filter((quantity) => !isInitial(quantity));
    const replacements = new Map(
      rest.map(({ source: { statement } }) => {
        const key = keyOf(statement.span);
        return [key, statementsOf(rest.filter(({ source }) => keyOf(source.statement.span) === key))];
      }),
    );
    const declared = quantities.map((quantity) => {
      const { computed, name, type } = quantity;
      return computed.kind === 'value' && isInitial(quantity)
        ? `${type} ${name} = ${computed.text};`
        : `${type} ${name};`;
    });
    const statements = copiedModel(this.#program, replacements, locals);
    return `${declared.join('\n')}\n${locals.size === 0 ? statements : `{\n${statements}\n}`}`;
  }
}

/** The statements that compute quantities. Quantities with the same loop share it. */
function statementsOf(quantities: readonly Quantity[]): readonly string[] {
  const whole = quantities.flatMap(({ computed, name }) => {
    if (computed.kind === 'each') return [];
    return [computed.kind === 'value' ? `${name} = ${computed.text};` : computed.text];
  });
  const loops = quantities.flatMap(({ computed }) => (computed.kind === 'each' ? [computed.loop] : []));
  const heads = [...new Set(loops.map(({ head }) => head))];
  return [
    ...whole,
    ...heads.flatMap((head) => {
      const same = loops.filter((loop) => loop.head === head);
      const before = [...new Set(same.flatMap((loop) => loop.before))];
      const [first = '', ...others] = same.map(({ statement }) => statement);
      const loop = `${head} ${others.length === 0 ? first : `{ ${[first, ...others].join('\n')} }`}`;
      return before.length === 0 ? [loop] : [`{ ${[...before, loop].join('\n')} }`];
    }),
  ];
}

function severalOf({ statement, variable }: Observed): Unclear {
  return { reason: `${variable} is the outcome of several statements`, at: statement.span };
}

function arrayType(sizes: readonly string[], element: string): string {
  return sizes.length === 0 ? element : `array[${sizes.join(', ')}] ${element}`;
}

function listType(type: Type, size: string): string | undefined {
  if (type.kind === 'vector' || type.kind === 'row_vector') return `${type.kind}[${size}]`;
  const isPlain = type.kind === 'array' && !isContainer(type.element);
  return isPlain ? `array[${size}] ${type.element.kind}` : undefined;
}

function elementText(name: string, indices: readonly string[]): string {
  return indices.length === 0 ? name : `${name}[${indices.join(', ')}]`;
}
