/** The source files of a program in an editor, and edits of them. */
import type { Stretch } from './symbols.js';

/** A program and its included files, by name. */
export interface ProgramText {
  readonly name: string;
  readonly text: string;
  readonly includes: Readonly<Record<string, string>>;
}

/** A range of one of a program's files, and its replacement. */
export interface Edit {
  readonly at: Stretch;
  readonly text: string;
}

/** The program after all edits, which must not overlap. Insertions at the same position keep their order. */
export function edited({ name, text, includes }: ProgramText, edits: readonly Edit[]): ProgramText {
  const changed: Record<string, string> = { ...includes, [name]: text };
  for (const { at, text: put } of edits.toSorted((a, b) => a.at.from - b.at.from).reverse()) {
    const before = changed[at.file];
    if (before !== undefined) changed[at.file] = before.slice(0, at.from) + put + before.slice(at.to);
  }
  const { [name]: own = text, ...others } = changed;
  return { name, text: own, includes: others };
}
