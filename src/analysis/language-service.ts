/** What an editor asks about the program in it. Keeps the names of the last text that could be read, as people write through faults. */
import { analyze } from '../analyze.js';
import { FUNCTIONS } from '../functions/table.js';
import type { Diagnostic } from '../source/diagnostic.js';
import { parse } from '../syntax/parse.js';
import { type Completion, Completions } from './completion.js';
import { type ExampleData, exampleData } from './example-data.js';
import { type Fix, fixesOf } from './fixes.js';
import { type Missing, missingQuantities, type QuantityNames } from './generated-quantities.js';
import { type FunctionHelp, helpFor } from './library-help.js';
import { likelihoodOf, withoutStatements } from './prior.js';
import type { ProgramText } from './program-text.js';
import { type DeclaredName, type Occurrence, ProgramNames, type Stretch, stretchOf } from './symbols.js';

/** A message at a location of the program. */
export interface Remark {
  readonly severity: 'error' | 'warning';
  readonly message: string;
  readonly at: Stretch;
  /** From 1. */
  readonly line: number;
  readonly fixes: readonly Fix[];
}

export interface ProgramReport {
  readonly remarks: readonly Remark[];
  /** As stanc describes it; of a program without errors. */
  readonly info?: ReturnType<typeof analyze>['info'];
  /** Declarations, in the order of the text. */
  readonly declared: readonly DeclaredName[];
}

/** What is known of the word at a place. */
export type Hover =
  | { readonly kind: 'declared'; readonly at: Stretch; readonly declared: DeclaredName }
  | { readonly kind: 'library'; readonly at: Stretch; readonly help: FunctionHelp };

/** A program without its likelihood, or the reason why it cannot be derived. */
export type PriorProgram =
  | { readonly kind: 'prior'; readonly text: string; readonly includes: Readonly<Record<string, string>> }
  | {
      readonly kind: 'unclear';
      readonly reason: string;
      /** From 1. */
      readonly line: number;
    };

export class LanguageService {
  readonly #completions = new Completions(FUNCTIONS);
  #program: ProgramText = { name: 'model.stan', text: '', includes: {} };
  #names: ProgramNames | undefined;

  /** Takes a new text, and returns its errors and warnings. */
  update(program: ProgramText): ProgramReport {
    this.#program = program;
    const includes = new Map(Object.entries(program.includes));
    const parsed = parse(program, includes);
    if ('program' in parsed) this.#names = new ProgramNames(parsed.program);
    const { errors, warnings, info } = analyze(program.text, {
      name: program.name,
      includes,
      pedantic: true,
      unsupported: true,
    });
    const tree = 'program' in parsed ? parsed.program : undefined;
    const remarks = [...errors, ...warnings].map((found) => ({
      ...remarkOf(found),
      fixes: fixesOf(found, program, tree, FUNCTIONS),
    }));
    return { remarks, declared: this.#names?.declared ?? [], ...(info !== undefined && { info }) };
  }

  /** The program as stanc formats it; undefined while it cannot be read. */
  format(): string | undefined {
    const { name, text, includes } = this.#program;
    return analyze(text, { name, includes: new Map(Object.entries(includes)) }).formatted;
  }

  /** Data of the right shape; undefined while the program cannot be read. */
  exampleData(): ExampleData | undefined {
    const { includes } = this.#program;
    const parsed = parse(this.#program, new Map(Object.entries(includes)));
    return 'program' in parsed ? exampleData(parsed.program) : undefined;
  }

  /** The program that draws from the prior. */
  prior(): PriorProgram {
    const { name, text, includes } = this.#program;
    const parsed = parse(this.#program, new Map(Object.entries(includes)));
    if (!('program' in parsed)) return { kind: 'unclear', reason: 'the program has an error', line: 1 };
    const found = likelihoodOf(parsed.program);
    if (found.kind === 'unclear') return { kind: 'unclear', reason: found.reason, line: found.at.begin.line };
    if (found.statements.length === 0) return { kind: 'unclear', reason: 'no statement conditions on data', line: 1 };
    const { [name]: changed = text, ...others } = withoutStatements({ ...includes, [name]: text }, found.statements);
    return { kind: 'prior', text: changed, includes: others };
  }

  /** The generated quantities that checks of the model need and it lacks; undefined of a program with errors. */
  missingQuantities(names: QuantityNames): Missing | undefined {
    return missingQuantities(this.#program, FUNCTIONS, names);
  }

  complete(file: string, offset: number): readonly Completion[] {
    const { name, text, includes } = this.#program;
    const isIncluded = file !== name;
    return this.#completions.at(isIncluded ? (includes[file] ?? '') : text, offset, this.#names, isIncluded);
  }

  hover(file: string, offset: number): Hover | undefined {
    const occurrence = this.#at(file, offset);
    if (occurrence === undefined) return undefined;
    const declared = this.#names?.meaning(occurrence);
    if (declared !== undefined) return { kind: 'declared', at: occurrence.at, declared };
    const help = helpFor(FUNCTIONS, occurrence.name);
    return help && { kind: 'library', at: occurrence.at, help };
  }

  /** What is known of a function by its name alone, for the signature of a call that is being written. */
  help(name: string): Hover | undefined {
    const at = { file: this.#program.name, from: 0, to: 0 };
    const declared = this.#names?.declared.find((each) => each.kind === 'function' && each.name === name);
    if (declared !== undefined) return { kind: 'declared', at, declared };
    const help = helpFor(FUNCTIONS, name);
    return help && { kind: 'library', at, help };
  }

  definition(file: string, offset: number): Stretch | undefined {
    const occurrence = this.#at(file, offset);
    return occurrence && this.#names?.meaning(occurrence)?.declaredAt;
  }

  /** Every place of the name at an offset; empty where nothing of the program's own is named. */
  references(file: string, offset: number): readonly Stretch[] {
    const occurrence = this.#at(file, offset);
    const declared = occurrence && this.#names?.meaning(occurrence);
    return declared === undefined ? [] : (this.#names?.references(declared) ?? []).map(({ at }) => at);
  }

  #at(file: string, offset: number): Occurrence | undefined {
    return this.#names?.at(file, offset);
  }
}

function remarkOf({ severity, message, hint, span }: Diagnostic): Omit<Remark, 'fixes'> {
  const text = hint === undefined ? message : `${message}\n${hint}`;
  return { severity, message: text, at: stretchOf(span), line: span.begin.line };
}
