import { isBefore, type Position } from '../source/span.js';
import type { Comment, Include, Remark } from './ast.js';
import type { Layout } from './format-layout.js';

type Shown = Comment | Include;

/** Marks a comment inside a construct that cannot contain comments. It is printed after the construct and points up. */
const PASSED_OVER = ' ^^^:';

/** Whether a position is in an included text. The formatter prints the `#include`, not the text. */
export function isIncluded({ file }: Position): boolean {
  return file.includedFrom !== undefined;
}

/** The comments and includes of a program that have not been printed yet, in the order of the text. */
export class Remarks {
  readonly #remarks: readonly Remark[];
  #next = 0;
  #passedOver: Comment[] = [];
  #hasMisplacedInclude = false;
  #isSettled: boolean;

  constructor(remarks: readonly Remark[]) {
    this.#remarks = remarks.filter(({ span }) => !isIncluded(span.begin));
    this.#isSettled = this.#remarks.every(({ kind }) => kind !== 'include');
  }

  /** Takes the comments and includes that begin before a position, and the separators up to it. */
  takeUpTo(place: Position): readonly Shown[] {
    const taken: Shown[] = [];
    for (let remark = this.#remarks[this.#next]; remark !== undefined; remark = this.#remarks[++this.#next]) {
      const { begin, end } = remark.span;
      if (remark.kind === 'separator') {
        if (isBefore(place, end)) break;
      } else if (isBefore(begin, place)) {
        taken.push(remark);
      } else break;
    }
    return taken;
  }

  /** Takes the comments and includes that begin before a position and before the next separator. */
  takeUpToSeparator(place: Position): readonly Shown[] {
    const taken: Shown[] = [];
    for (let remark = this.#remarks[this.#next]; remark !== undefined; remark = this.#remarks[++this.#next]) {
      if (remark.kind === 'separator' || !isBefore(remark.span.begin, place)) break;
      taken.push(remark);
    }
    return taken;
  }

  /** Defers the comments that begin before a position. */
  passOver(place: Position): void {
    for (const remark of this.takeUpTo(place)) {
      this.unsettle();
      if (remark.kind === 'include') {
        this.misplaceInclude();
      } else {
        const [first = '', ...rest] = remark.lines;
        this.#passedOver.push({ ...remark, lines: [PASSED_OVER + first, ...rest] });
      }
    }
  }

  /** Records that the formatter cannot print an include at its position. */
  misplaceInclude(): void {
    this.#hasMisplacedInclude = true;
  }

  get hasMisplacedInclude(): boolean {
    return this.#hasMisplacedInclude;
  }

  /** Records that the next formatting may move a comment. */
  unsettle(): void {
    this.#isSettled = false;
  }

  /** Whether formatting the result again certainly changes nothing: there are no includes, and comments only between statements. */
  get isSettled(): boolean {
    return this.#isSettled;
  }

  /** Takes the deferred comments. */
  takePassedOver(): readonly Comment[] {
    const taken = this.#passedOver;
    this.#passedOver = [];
    return taken;
  }

  takeRest(): readonly Shown[] {
    const rest = this.#remarks.slice(this.#next).filter((remark) => remark.kind !== 'separator');
    this.#next = this.#remarks.length;
    return [...this.takePassedOver(), ...rest];
  }
}

/** The output of the formatter, and the comments that are still to be placed. */
export interface Output {
  readonly layout: Layout;
  readonly remarks: Remarks;
  readonly style: FormatStyle;
}

/** What the formatter changes beyond layout. */
export interface FormatStyle {
  /** The maximum column before which lines are broken. */
  readonly margin: number;
  /** Whether to omit redundant parentheses: all except those around operators that are operands. */
  readonly withoutParentheses: boolean;
  /** Whether to enclose single statements in braces. */
  readonly withBraces: boolean;
  readonly withoutComments: boolean;
}

function writeRemark({ layout }: Output, remark: Shown): void {
  switch (remark.kind) {
    case 'include':
      layout.text(`#include ${/^[^"<\s]*$/.test(remark.name) ? remark.name : `"${remark.name}"`}`);
      break;
    case 'lineComment':
      layout.text(`//${remark.lines.join('')}`);
      break;
    case 'blockComment': {
      const [first = '', ...rest] = remark.lines;
      const lines = [`/*${first}`, ...outdented(rest, remark.span.begin.column)];
      layout.lines([...lines.slice(0, -1), `${lines.at(-1) ?? ''}*/`]);
    }
  }
}

/** Removes the common indentation of the lines, at most `columns` of it. */
function outdented(lines: readonly string[], columns: number): readonly string[] {
  const indents = lines.filter((line) => /[^ ]/.test(line)).map((line) => line.length - line.replace(/^ +/, '').length);
  const shared = Math.min(columns, ...indents);
  return lines.map((line) => line.slice(shared));
}

/**
 * Writes comments between two items on their own lines, with blank lines and line ends where the text had them. `from`: the end of the
 * previous item; `to`: the start of the next one; either may be missing. Unless `newLine`, the next item stays on the line if no line
 * comment prevents it.
 */
export function writeBetween(
  output: Output,
  from: Position | undefined,
  to: Position | undefined,
  shown: readonly Shown[],
  newLine = true,
): void {
  const { layout, remarks } = output;
  const passedOver = remarks.takePassedOver();
  let place = from;
  let written: Shown | undefined = shown.length === 0 ? writePassedOver(output, passedOver) : undefined;
  for (const [index, remark] of shown.entries()) {
    if (place !== undefined) writeGap(layout, place, remark.span.begin, endsLine(written));
    writeRemark(output, remark);
    written = (index === 0 ? writePassedOver(output, passedOver) : undefined) ?? remark;
    place = remark.span.end;
  }
  if (to === undefined) return;
  if (place !== undefined) writeGap(layout, place, to, newLine || endsLine(written));
  else if (endsLine(written)) layout.cut();
}

/** Whether the next item must begin on a new line. */
function endsLine(remark: Shown | undefined): boolean {
  return remark !== undefined && remark.kind !== 'blockComment';
}

/** Writes the deferred comments, one per line. Returns the last of them. */
function writePassedOver(output: Output, passedOver: readonly Comment[]): Comment | undefined {
  let place: Position | undefined;
  for (const remark of passedOver) {
    if (place === undefined) writeBlankLine(output.layout);
    else writeGap(output.layout, place, remark.span.begin, false);
    writeRemark(output, remark);
    place = remark.span.end;
  }
  return passedOver.at(-1);
}

function writeGap(layout: Layout, from: Position, to: Position, newLine: boolean): void {
  if (isIncluded(to)) return;
  const { file, line } = outermost(from);
  if (file !== to.file || line + 1 < to.line) writeBlankLine(layout);
  else if (newLine || line < to.line) layout.cut();
  else layout.text(' ');
}

function writeBlankLine(layout: Layout): void {
  layout.cut();
  layout.cut();
}

/** The location in the program's own text of the include that contains a position. */
export function outermost(place: Position): Position {
  return place.file.includedFrom === undefined ? place : outermost(place.file.includedFrom);
}

/** Blanks around comments inside an expression or a list; none by default. */
interface Surroundings {
  /** Before the first of them. */
  readonly before?: 'blank' | 'space';
  /** Written if there are no comments. */
  readonly otherwise?: 'space';
}

/** Writes comments inside an expression or a list. */
export function writeInside(output: Output, shown: readonly Shown[], { before, otherwise }: Surroundings = {}): void {
  const { layout, remarks } = output;
  if (shown.length === 0) {
    if (otherwise === 'space') layout.space();
    return;
  }
  remarks.unsettle();
  if (shown.some(({ kind }) => kind === 'include')) remarks.misplaceInclude();
  if (before === 'space') layout.space();
  if (before === 'blank') layout.text(' ');
  for (const remark of shown) {
    writeRemark(output, remark);
    if (remark.kind !== 'blockComment') layout.newline();
  }
  if (before === undefined && shown.at(-1)?.kind === 'blockComment') layout.space();
}
