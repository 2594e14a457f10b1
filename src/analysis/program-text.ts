/** A program as an editor has it, and changes of its texts. */
import type { Stretch } from './symbols.js';

/** A program with the texts that it includes, by name. */
export interface ProgramText {
  readonly name: string;
  readonly text: string;
  readonly includes: Readonly<Record<string, string>>;
}

/** A span of one of a program's texts, and its replacement. */
export interface Edit {
  readonly at: Stretch;
  readonly text: string;
}

/** The program with all changes made, which must not overlap. */
export function edited({ name, text, includes }: ProgramText, edits: readonly Edit[]): ProgramText {
  const changed: Record<string, string> = { ...includes, [name]: text };
  for (const { at, text: put } of edits.toSorted((a, b) => b.at.from - a.at.from)) {
    const before = changed[at.file];
    if (before !== undefined) changed[at.file] = before.slice(0, at.from) + put + before.slice(at.to);
  }
  const { [name]: own = text, ...others } = changed;
  return { name, text: own, includes: others };
}
