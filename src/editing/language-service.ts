/**
 * The language service of an editor for one program. Retains the names in the latest version that could be parsed,
 * because programs are incomplete while they are written.
 */

import { type Findings, findingsOf, unsupportedFeatures } from '../analyze.js';
import { check } from '../check/check.js';
import { type DataFault, type DataValues, dataFaults } from '../derive/data-faults.js';
import { parametersWithoutPrior } from '../derive/derived-prior.js';
import { type ExampleData, exampleData } from '../derive/example-data.js';
import { type Missing, missingQuantities, type QuantityNames } from '../derive/generated-quantities.js';
import { type IndexLevels, type LabeledVariable, labeledVariablesIn } from '../derive/level-labels.js';
import { likelihoodStatements } from '../derive/likelihood-terms.js';
import { outcomesOf } from '../derive/outcomes.js';
import { withoutStatements } from '../derive/prior.js';
import { type PriorFacts, priorFacts } from '../derive/prior-facts.js';
import type { ProgramText } from '../derive/program-text.js';
import { type DeclaredName, type Occurrence, ProgramNames, type Stretch, stretchOf } from '../derive/symbols.js';
import { FUNCTIONS } from '../functions/table.js';
import type { Diagnostic } from '../source/diagnostic.js';
import type { Program } from '../syntax/ast.js';
import { format } from '../syntax/format.js';
import { type ParseResult, parse } from '../syntax/parse.js';
import { type CallHelp, callAt, signaturesOf } from './calls.js';
import { type Completion, Completions } from './completion.js';
import { enclosing } from './enclosing.js';
import type { Fix } from './fix.js';
import { fixesOf } from './fixes.js';
import { type InlayHint, inlayHints } from './inlay-hints.js';
import { type FunctionHelp, helpFor } from './library-help.js';
import { type Fold, foldsOf, type OutlineItem, outlineOf } from './outline.js';
import { type Renaming, rename } from './renaming.js';
import { type SemanticToken, semanticTokens } from './semantic-tokens.js';
import { Shift } from './shift.js';

/** A message at a location of the program. */
export interface Remark {
  readonly severity: 'error' | 'warning';
  /** As in docs/diagnostics.md. */
  readonly code: string;
  readonly message: string;
  readonly at: Stretch;
  /** Line number, from 1. */
  readonly line: number;
  readonly fixes: readonly Fix[];
}

export interface ProgramReport {
  readonly remarks: readonly Remark[];
  /** stanc's description (`--info`); only for a program without errors. */
  readonly info?: Findings['info'];
  /** Declarations, in source order. */
  readonly declared: readonly DeclaredName[];
}

/** Information about the word at a position. */
export type Hover =
  | { readonly kind: 'declared'; readonly at: Stretch; readonly declared: DeclaredName }
  | { readonly kind: 'library'; readonly at: Stretch; readonly help: FunctionHelp };

/** A program without its likelihood, or the reason why it cannot be derived. */
export type PriorProgram =
  | {
      readonly kind: 'prior';
      readonly text: string;
      readonly includes: Readonly<Record<string, string>>;
      /** A parameter without a prior, which therefore has no draws, and the line of its declaration. */
      readonly flat?: { readonly name: string; readonly line: number };
    }
  | {
      readonly kind: 'unclear';
      readonly reason: string;
      /** Line number, from 1. */
      readonly line: number;
    };

/** Options for checking a program. */
export interface ReportOptions {
  /** Whether to include the warnings of stanc's `--warn-pedantic`, except about constants that are not unit scale; true by default. */
  readonly pedantic?: boolean;
}

/** A parsed program, with its names. */
interface Readable {
  readonly source: ProgramText;
  readonly tree: Program;
  readonly names: ProgramNames;
}

/**
 * Pedantic warnings that editors do not show. stanc reports a prior such as `normal(57, 18)` also if its parameter has the multiplier that the warning
 * recommends, so that it cannot be resolved.
 */
const HIDDEN: readonly string[] = ['unscaled-constant'];

export class LanguageService {
  readonly #completions = new Completions(FUNCTIONS);
  #program: ProgramText = { name: 'model.stan', text: '', includes: {} };
  #parsed: ParseResult = parse(this.#program);
  #last: Readable | undefined;
  #shifts = new Map<string, Shift>();

  /** Sets the source. Does not check it. */
  read(program: ProgramText): void {
    this.#program = program;
    this.#shifts = new Map();
    this.#parsed = parse(program, includesOf(program));
    const tree = this.#tree;
    if (tree !== undefined) this.#last = { source: program, tree, names: new ProgramNames(tree) };
  }

  /**
   * Sets the source. Returns its errors and warnings, excluding those of `unsupported`. Fast enough to call at every
   * keystroke.
   */
  update(program: ProgramText, { pedantic = true }: ReportOptions = {}): ProgramReport {
    this.read(program);
    const { errors, warnings, info } = findingsOf(this.#parsed, { pedantic, integersAreSizes: false });
    const remarks = this.#remarks([...errors, ...warnings.filter(({ code }) => !HIDDEN.includes(code))]);
    return { remarks, declared: this.#names?.declared ?? [], ...(info !== undefined && { info }) };
  }

  /** Warnings about valid Stan that Leapfrog cannot compile. Lowers the program, so call it when the user pauses. */
  unsupported(): readonly Remark[] {
    return this.#remarks(unsupportedFeatures(this.#parsed));
  }

  /** The program in stanc's format; undefined if it cannot be parsed. */
  format(): string | undefined {
    return this.#tree && format(this.#tree, includesOf(this.#program));
  }

  /** Example data; undefined if the program cannot be parsed. */
  exampleData(): ExampleData | undefined {
    return this.#tree && exampleData(this.#tree);
  }

  /** Errors in data; empty if the program cannot be parsed. */
  dataFaults(data: DataValues): readonly DataFault[] {
    return this.#tree === undefined ? [] : dataFaults(this.#tree, data);
  }

  /** The program that draws from the prior. */
  prior(): PriorProgram {
    const { name, text, includes } = this.#program;
    const checked = this.#tree && check(this.#tree, FUNCTIONS);
    if (checked === undefined || !('program' in checked))
      return { kind: 'unclear', reason: 'the program has an error', line: 1 };
    const found = likelihoodStatements(checked.program, FUNCTIONS);
    if (found.kind === 'unclear') return { kind: 'unclear', reason: found.reason, line: found.at.begin.line };
    if (found.statements.length === 0) return { kind: 'unclear', reason: 'no statement conditions on data', line: 1 };
    const { [name]: changed = text, ...others } = withoutStatements({ ...includes, [name]: text }, found.statements);
    const [flat] = parametersWithoutPrior(checked.program, found.statements);
    return {
      kind: 'prior',
      text: changed,
      includes: others,
      ...(flat && { flat: { name: flat.name, line: flat.at.begin.line } }),
    };
  }

  /** Missing generated quantities for checking the model; undefined for a program with errors. */
  missingQuantities(names: QuantityNames): Missing | undefined {
    return missingQuantities(this.#program, FUNCTIONS, names);
  }

  /**
   * The data variables that are outcomes of a program, which need not be the program in the editor; undefined if they
   * cannot be derived.
   */
  outcomes(program: ProgramText): readonly string[] | undefined {
    return outcomesOf(program);
  }

  /** Variables of a program, which need not be the program in the editor, whose elements belong to the levels of an index. */
  labeledVariables(program: ProgramText, levels: readonly IndexLevels[]): readonly LabeledVariable[] {
    return labeledVariablesIn(program, levels);
  }

  /** What a program, which need not be the program in the editor, states about its prior. */
  priorFacts(program: ProgramText): PriorFacts {
    return priorFacts(program);
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

  /** Documentation of a function by name, for the signature of a call that is being written. */
  help(name: string): Hover | undefined {
    const at = { file: this.#program.name, from: 0, to: 0 };
    const declared = this.#names?.declared.find((each) => each.kind === 'function' && each.name === name);
    if (declared !== undefined) return { kind: 'declared', at, declared };
    const help = helpFor(FUNCTIONS, name);
    return help && { kind: 'library', at, help };
  }

  /** The signatures of the innermost incomplete call around an offset. */
  signatures(file: string, offset: number): CallHelp | undefined {
    const call = callAt(this.#text(file), offset);
    return call && signaturesOf(call, this.#names?.declared ?? [], FUNCTIONS);
  }

  definition(file: string, offset: number): Stretch | undefined {
    const occurrence = this.#at(file, offset);
    const declared = occurrence && this.#names?.meaning(occurrence);
    return declared && this.#later(declared.declaredAt);
  }

  /** The declarations that a name may refer to; several if a function is overloaded. */
  definitions(file: string, offset: number): readonly Stretch[] {
    const occurrence = this.#at(file, offset);
    const declared = occurrence === undefined ? [] : (this.#names?.declarations(occurrence) ?? []);
    return declared.flatMap(({ declaredAt }) => this.#later(declaredAt) ?? []);
  }

  /** All occurrences of the name at an offset; empty if the program does not declare it. */
  references(file: string, offset: number): readonly Stretch[] {
    const occurrence = this.#at(file, offset);
    const declared = occurrence && this.#names?.meaning(occurrence);
    const found = declared === undefined ? [] : (this.#names?.references(declared) ?? []);
    return found.flatMap(({ at }) => this.#later(at) ?? []);
  }

  /** The name at an offset; undefined if it cannot be renamed. */
  renamable(file: string, offset: number): { readonly name: string; readonly at: Stretch } | undefined {
    const occurrence = this.#at(file, offset);
    const at = occurrence && this.#later(occurrence.at);
    if (occurrence === undefined || at === undefined) return undefined;
    return this.#names?.meaning(occurrence) && { name: occurrence.name, at };
  }

  /** Renames the variable or function at an offset in all files of the program. */
  rename(file: string, offset: number, newName: string): Renaming {
    if (!this.#isReadable) return { kind: 'refused', reason: 'The program has a syntax error.' };
    const occurrence = this.#at(file, offset);
    if (occurrence === undefined) return { kind: 'refused', reason: 'There is no name at this position.' };
    return rename(this.#program, occurrence, newName);
  }

  /** Blocks, functions and global variables of one file, from the latest version that could be parsed. */
  outline(file: string): readonly OutlineItem[] {
    if (this.#last === undefined) return [];
    return this.#shifted(outlineOf(this.#last.tree, this.#last.names, file));
  }

  /** The ranges around an offset, each within the next one; none in a program that cannot be parsed. */
  enclosing(file: string, offset: number): readonly Stretch[] {
    return this.#tree === undefined ? [] : enclosing(this.#tree, file, offset);
  }

  /** The ranges of one file that an editor can fold. */
  folds(file: string): readonly Fold[] {
    return foldsOf(this.#text(file));
  }

  /** The hints in one file; none in a program with errors. */
  hints(file: string): readonly InlayHint[] {
    const checked = this.#tree && check(this.#tree, FUNCTIONS);
    return checked === undefined || 'diagnostics' in checked ? [] : inlayHints(checked.program, file);
  }

  /** The semantic type of each token of one file. */
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

  #remarks(found: readonly Diagnostic[]): readonly Remark[] {
    return found.map((each) => {
      const fixes = fixesOf(each, this.#program, this.#tree, FUNCTIONS);
      return { ...remarkOf(each), ...missingSemicolon(fixes, this.#program), fixes };
    });
  }

  /** The current version; undefined if it cannot be parsed. */
  get #tree(): Program | undefined {
    return 'program' in this.#parsed ? this.#parsed.program : undefined;
  }

  get #isReadable(): boolean {
    return 'program' in this.#parsed;
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

  /** Maps a range from the latest version that could be parsed to the current text; undefined if the range has been edited. */
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

  /** The change of a file since the latest version of the program that could be parsed. */
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

function includesOf({ includes }: ProgramText): ReadonlyMap<string, string> {
  return new Map(Object.entries(includes));
}

function isOwn({ at }: Occurrence, { declaredAt }: DeclaredName): boolean {
  return at.from === declaredAt.from && at.file === declaredAt.file;
}

/**
 * The location of an error whose fix adds a semicolon: the last character of the statement. The parser reports the error at the next token, which may
 * be several lines below.
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

function remarkOf({ code, severity, message, hint, span }: Diagnostic): Omit<Remark, 'fixes'> {
  const text = hint === undefined ? message : `${message}\n${hint}`;
  return { severity, code, message: text, at: stretchOf(span), line: span.begin.line };
}
