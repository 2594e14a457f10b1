/** A named text. An included text contains the location of its `#include`. */
export interface SourceFile {
  readonly name: string;
  readonly text: string;
  readonly includedFrom?: Position;
}

/** A position between two characters of a source file. */
export interface Position {
  readonly file: SourceFile;
  /** UTF-16 code units from the start of the text. */
  readonly offset: number;
  /** From 1. */
  readonly line: number;
  /** From 0, in bytes of the line's UTF-8 form. */
  readonly column: number;
}

/** The text from `begin` to `end`, exclusive. If an include ends inside the span, the two are in different files. */
export interface Span {
  readonly begin: Position;
  readonly end: Position;
}

/** The start of a file. */
export function startOf(file: SourceFile): Position {
  return { file, offset: 0, line: 1, column: 0 };
}

/** From the beginning of `first` to the end of `last`. */
export function spanning(first: Span, last: Span): Span {
  return { begin: first.begin, end: last.end };
}

/** Whether one position comes before another in the program's text with its includes expanded. */
export function isBefore(one: Position, other: Position): boolean {
  return comparePositions(one, other) < 0;
}

function comparePositions(one: Position, other: Position): number {
  if (one.file === other.file) return one.line - other.line || one.column - other.column;
  const [path, otherPath] = [pathTo(one), pathTo(other)];
  for (const [depth, { line, column }] of path.entries()) {
    const there = otherPath[depth];
    if (there === undefined) return 1;
    const order = line - there.line || column - there.column;
    if (order !== 0) return order;
  }
  return path.length - otherPath.length;
}

/** The locations of the includes that lead to a position, from the program's own text on, and the position itself. */
function pathTo(position: Position): readonly Position[] {
  const { includedFrom } = position.file;
  return includedFrom === undefined ? [position] : [...pathTo(includedFrom), position];
}

/** The text of a span. If the span covers several files, the text in the first of them. */
export function spanText({ begin, end }: Span): string {
  return begin.file.text.slice(begin.offset, begin.file === end.file ? end.offset : undefined);
}

/** Whether the name of a file states that it contains only function definitions. */
export function isFunctionFile(name: string): boolean {
  return name.endsWith('.stanfunctions');
}
