/** What an editor asks about the program in it. Keeps the names of the last text that could be read, as people write through faults. */
import { analyze } from '../analyze.js';
import { FUNCTIONS } from '../functions/table.js';
import type { Diagnostic, DiagnosticKind } from '../source/diagnostic.js';
import type { Program } from '../syntax/ast.js';
import { parse } from '../syntax/parse.js';
import { type CallHelp, callAt, signaturesOf } from './calls.js';
import { type Completion, Completions } from './completion.js';
import { type DataFault, type DataValues, dataFaults } from './data-faults.js';
import { type ExampleData, exampleData } from './example-data.js';
import { type Fix, fixesOf } from './fixes.js';
import { type Missing, missingQuantities, type QuantityNames } from './generated-quantities.js';
import { type FunctionHelp, helpFor } from './library-help.js';
import { type Fold, foldsOf, type OutlineItem, outlineOf } from './outline.js';
import { likelihoodOf, withoutStatements } from './prior.js';
import type { ProgramText } from './program-text.js';
import { type Renaming, rename } from './renaming.js';
import { type SemanticToken, semanticTokens } from './semantic-tokens.js';
import { Shift } from './shift.js';
import { type DeclaredName, type Occurrence, ProgramNames, type Stretch, stretchOf } from './symbols.js';

/** A message at a location of the program. */
export interface Remark {
  readonly severity: 'error' | 'warning';
  readonly code: DiagnosticKind;
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

/** How a program is checked. */
export interface ReportOptions {
  /** Whether to include the warnings of stanc's `--warn-pedantic`; true unless given. */
  readonly pedantic?: boolean;
}

/** A program that could be read, with its names. */
interface Readable {
  readonly source: ProgramText;
  readonly tree: Program;
  readonly names: ProgramNames;
}

export class LanguageService {
  readonly #completions = new Completions(FUNCTIONS);
  #program: ProgramText = { name: 'model.stan', text: '', includes: {} };
  #isReadable = false;
  #last: Readable | undefined;
  #shifts = new Map<string, Shift>();

  /** Takes a new text without checking it. */
  read(program: ProgramText): void {
    this.#program = program;
    this.#shifts = new Map();
    const parsed = parse(program, new Map(Object.entries(program.includes)));
    this.#isReadable = 'program' in parsed;
    if (!('program' in parsed)) return;
    this.#last = { source: program, tree: parsed.program, names: new ProgramNames(parsed.program) };
  }

  /** Takes a new text, and reports its errors and warnings. */
  update(program: ProgramText, { pedantic = true }: ReportOptions = {}): ProgramReport {
    this.read(program);
    const { errors, warnings, info } = analyze(program.text, {
      name: program.name,
      includes: new Map(Object.entries(program.includes)),
      pedantic,
      unsupported: true,
    });
    const tree = this.#isReadable ? this.#last?.tree : undefined;
    const remarks = [...errors, ...warnings].map((found) => {
      const fixes = fixesOf(found, program, tree, FUNCTIONS);
      return { ...remarkOf(found), ...missingSemicolon(fixes, program), fixes };
    });
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

  /** What is wrong with data; nothing while the program cannot be read. */
  dataFaults(data: DataValues): readonly DataFault[] {
    const { includes } = this.#program;
    const parsed = parse(this.#program, new Map(Object.entries(includes)));
    return 'program' in parsed ? dataFaults(parsed.program, data) : [];
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
    return this.#completions.at(this.#text(file), offset, this.#names, file !== this.#program.name);
  }

  hover(file: string, offset: number): Hover | undefined {
    const occurrence = this.#at(file, offset);
    const at = occurrence && this.#later(occurrence.at);
    if (occurrence === undefined || at === undefined) return undefined;
    const declared = this.#names?.meaning(occurrence);
    if (declared !== undefined) return { kind: 'declared', at, declared };
    const help = helpFor(FUNCTIONS, occurrence.name);
    return help && { kind: 'library', at, help };
  }

  /** What is known of a function by its name alone, for the signature of a call that is being written. */
  help(name: string): Hover | undefined {
    const at = { file: this.#program.name, from: 0, to: 0 };
    const declared = this.#names?.declared.find((each) => each.kind === 'function' && each.name === name);
    if (declared !== undefined) return { kind: 'declared', at, declared };
    const help = helpFor(FUNCTIONS, name);
    return help && { kind: 'library', at, help };
  }

  /** The signatures of the innermost call around an offset. */
  signatures(file: string, offset: number): CallHelp | undefined {
    const call = callAt(this.#text(file), offset);
    return call && signaturesOf(call, this.#names?.declared ?? [], FUNCTIONS);
  }

  definition(file: string, offset: number): Stretch | undefined {
    const occurrence = this.#at(file, offset);
    const declared = occurrence && this.#names?.meaning(occurrence);
    return declared && this.#later(declared.declaredAt);
  }

  /** The declarations that a name may refer to: several if a function is overloaded. */
  definitions(file: string, offset: number): readonly Stretch[] {
    const occurrence = this.#at(file, offset);
    const declared = occurrence === undefined ? [] : (this.#names?.declarations(occurrence) ?? []);
    return declared.flatMap(({ declaredAt }) => this.#later(declaredAt) ?? []);
  }

  /** Every stretch of the name at an offset; empty if the program does not declare it. */
  references(file: string, offset: number): readonly Stretch[] {
    const occurrence = this.#at(file, offset);
    const declared = occurrence && this.#names?.meaning(occurrence);
    const found = declared === undefined ? [] : (this.#names?.references(declared) ?? []);
    return found.flatMap(({ at }) => this.#later(at) ?? []);
  }

  /** The name at an offset, if it can be renamed. */
  renamable(file: string, offset: number): { readonly name: string; readonly at: Stretch } | undefined {
    const occurrence = this.#at(file, offset);
    const at = occurrence && this.#later(occurrence.at);
    if (occurrence === undefined || at === undefined) return undefined;
    return this.#names?.meaning(occurrence) && { name: occurrence.name, at };
  }

  /** Renames what the name at an offset refers to, in all texts of the program. */
  rename(file: string, offset: number, newName: string): Renaming {
    if (!this.#isReadable) return { kind: 'refused', reason: 'The program has a syntax error.' };
    const occurrence = this.#at(file, offset);
    if (occurrence === undefined) return { kind: 'refused', reason: 'There is no name at this position.' };
    return rename(this.#program, occurrence, newName);
  }

  /** Blocks, functions and global variables of one text, as the program last could be read. */
  outline(file: string): readonly OutlineItem[] {
    if (this.#last === undefined) return [];
    return this.#shifted(outlineOf(this.#last.tree, this.#last.names, file));
  }

  /** The stretches of one text that an editor can fold. */
  folds(file: string): readonly Fold[] {
    return foldsOf(this.#text(file));
  }

  /** What each token of one text is. */
  tokens(file: string): readonly SemanticToken[] {
    const meanings = (this.#names?.occurrences ?? []).flatMap((occurrence) => {
      const at = occurrence.at.file === file ? this.#later(occurrence.at) : undefined;
      const declared = at && this.#names?.meaning(occurrence);
      return at === undefined || declared === undefined
        ? []
        : [{ at, declared, isDeclaration: isOwn(occurrence, declared) }];
    });
    return semanticTokens(this.#text(file), meanings, (name) => helpFor(FUNCTIONS, name) !== undefined);
  }

  get #names(): ProgramNames | undefined {
    return this.#last?.names;
  }

  #text(file: string): string {
    const { name, text, includes } = this.#program;
    return file === name ? text : (includes[file] ?? '');
  }

  #at(file: string, offset: number): Occurrence | undefined {
    const earlier = this.#shift(file)?.earlier(offset) ?? (this.#isReadable ? offset : undefined);
    return earlier === undefined ? undefined : this.#names?.at(file, earlier);
  }

  /** A stretch of the program as it last could be read, in the current text; undefined if it has been changed. */
  #later(stretch: Stretch): Stretch | undefined {
    return this.#isReadable ? stretch : this.#shift(stretch.file)?.later(stretch);
  }

  #shifted(items: readonly OutlineItem[]): readonly OutlineItem[] {
    return items.flatMap((item) => {
      const whole = this.#isReadable ? item.whole : this.#shift(item.whole.file)?.around(item.whole);
      const at = this.#later(item.at);
      const children = this.#shifted(item.children);
      return whole === undefined || at === undefined ? children : [{ ...item, whole, at, children }];
    });
  }

  /** How a text has changed since the program last could be read. */
  #shift(file: string): Shift | undefined {
    if (this.#isReadable || this.#last === undefined) return undefined;
    const known = this.#shifts.get(file);
    if (known !== undefined) return known;
    const { name, text, includes } = this.#last.source;
    const made = new Shift((file === name ? text : includes[file]) ?? '', this.#text(file));
    this.#shifts.set(file, made);
    return made;
  }
}

function isOwn({ at }: Occurrence, { declaredAt }: DeclaredName): boolean {
  return at.from === declaredAt.from && at.file === declaredAt.file;
}

/**
 * The location of an error whose fix adds a semicolon: the last character of the statement, because the parser notices the fault at
 * the next token, which may be lines below.
 */
function missingSemicolon(
  [fix]: readonly Fix[],
  { text, includes }: ProgramText,
): Pick<Remark, 'at' | 'line'> | undefined {
  const [edit, ...others] = fix?.edits ?? [];
  if (edit?.text !== ';' || others.length > 0 || edit.at.from === 0) return undefined;
  const { file, from } = edit.at;
  const before = (includes[file] ?? text).slice(0, from);
  return { at: { file, from: from - 1, to: from }, line: before.split('\n').length };
}

function remarkOf({ kind, severity, message, hint, span }: Diagnostic): Omit<Remark, 'fixes'> {
  const text = hint === undefined ? message : `${message}\n${hint}`;
  return { severity, code: kind, message: text, at: stretchOf(span), line: span.begin.line };
}
