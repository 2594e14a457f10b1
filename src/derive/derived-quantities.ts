/**
 * Derives a program that computes the log likelihood of each observation, or replicated data, from the draws of another
 * program. It has the data and parameters of the other program, and generated quantities that are derived from its
 * likelihood:
 *
 * - `log_lik__y` has the shape of the outcome `y`, without the dimensions of one observation. `terms__y` is 1 for
 *   elements of `y` that are outcomes, and 0 for others.
 * - `y_rep` has the shape of `y`. Elements that are not outcomes are copied from `y`.
 *
 * The program without some observations also has a model block that excludes their terms, and the log likelihood of all
 * observations. The indices of the left-out observations are additional data.
 */
import { check } from '../check/check.js';
import type { TypedProgram } from '../check/typed.js';
import { FUNCTIONS } from '../functions/table.js';
import type { FunctionSignatures } from '../language/overloads.js';
import { type Diagnostic, errorAt } from '../source/diagnostic.js';
import { spanText } from '../source/span.js';
import { parse } from '../syntax/parse.js';
import { copiedModel, neededLocals, wholeModel } from './copied-model.js';
import type { DerivedKind } from './derived-names.js';
import { type Outcome, Outcomes, type QuantityKind } from './derived-outcomes.js';
import { derivePrior } from './derived-prior.js';
import { DerivedTerms } from './derived-terms.js';
import { remainderOf } from './held-out-terms.js';
import { type LikelihoodTerm, likelihoodTerms } from './likelihood-terms.js';
import { isUnclear, keyOf, type Unclear } from './observed.js';
import type { ProgramText } from './program-text.js';

/** The derived program, or the reason why it cannot be derived. For a program with errors, the reason is the errors. */
export function deriveQuantities(
  source: ProgramText,
  kind: DerivedKind,
  functions: FunctionSignatures = FUNCTIONS,
): ProgramText | readonly Diagnostic[] {
  const program = checked(source, functions);
  if ('diagnostics' in program) return program.diagnostics;
  if (kind === 'prior') return derivePrior(source, program, functions);
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

function refusal(kind: QuantityKind, { at, isOfProgram = false, reason }: Unclear): Diagnostic {
  const text = (cause: string) =>
    [`${NAMES[kind]} cannot be derived from this ${cause}: ${reason}.`, ...ADVICE[kind]].join(' ');
  const message = isOfProgram
    ? { code: 'no-likelihood', text: text('program') }
    : { code: 'not-derivable', text: text('statement') };
  return errorAt('unsupported', at, message);
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

class Derivation {
  readonly #program: TypedProgram;
  readonly #terms: readonly LikelihoodTerm[];
  readonly #kind: QuantityKind;
  readonly #outcomes: Outcomes;
  readonly #lines: DerivedTerms;

  constructor(
    program: TypedProgram,
    functions: FunctionSignatures,
    terms: readonly LikelihoodTerm[],
    kind: QuantityKind,
  ) {
    this.#program = program;
    this.#terms = terms;
    this.#kind = kind;
    this.#outcomes = new Outcomes(program, terms, kind);
    this.#lines = new DerivedTerms(program, functions, kind, this.#outcomes);
  }

  text(): string | Unclear {
    const replacements = this.#replacements((term, outcome, index) => this.#lines.linesOf(term, outcome, index));
    if (isUnclear(replacements)) return replacements;
    const model = this.#kind === 'held_out' ? this.#keptModel() : '';
    if (typeof model !== 'string') return model;
    const outcomes = this.#outcomes.all;
    const locals = neededLocals(
      this.#program,
      this.#terms.map(({ statement }) => statement),
    );
    const quantities = [
      ` model { ${model} } generated quantities {`,
      ...outcomes.flatMap((outcome) => this.#outcomes.declarations(outcome)),
      '{',
      ...outcomes.flatMap((outcome) => this.#outcomes.accumulators(outcome)),
      ...this.#lines.marks,
      copiedModel(this.#program, replacements, locals),
      ...outcomes.map((outcome) => this.#outcomes.results(outcome)),
      '} }\n',
    ];
    const prepared = outcomes.map((outcome) => this.#outcomes.placesOf(outcome)).join(' ');
    const given = this.#kind === 'held_out' ? this.#outcomes.heldOutData() : '';
    return this.#blocks(given, prepared) + quantities.join('\n');
  }

  /** The lines that replace the statement of each term, by the `keyOf` of its span. */
  #replacements(
    linesOf: (term: LikelihoodTerm, outcome: Outcome, index: number) => readonly string[] | Unclear,
  ): Map<string, readonly string[]> | Unclear {
    const replacements = new Map<string, readonly string[]>();
    for (const [index, term] of this.#terms.entries()) {
      const outcome = this.#outcomes.of(term);
      if (isUnclear(outcome)) return outcome;
      const lines = linesOf(term, outcome, index);
      if (isUnclear(lines)) return lines;
      const key = keyOf(term.statement.span);
      replacements.set(key, [...(replacements.get(key) ?? []), ...lines]);
    }
    return replacements;
  }

  /** The model block, with each term added only if its observation is not held out. */
  #keptModel(): string | Unclear {
    const replacements = this.#replacements((term, outcome) => this.#lines.keptLines(term, outcome));
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

  /**
   * All blocks before the model, with additional data and transformed data. They are on their original lines, so that
   * messages refer to the correct lines.
   */
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
}
