/** Renaming: edits of every file, or the reason why a name cannot be changed. */
import { analyze } from '../analyze.js';
import { type Edit, edited, type ProgramText } from '../derive/program-text.js';
import { type Occurrence, ProgramNames } from '../derive/symbols.js';
import { parse } from '../syntax/parse.js';

export type Renaming =
  | { readonly kind: 'edits'; readonly edits: readonly Edit[] }
  | { readonly kind: 'refused'; readonly reason: string };

/** Suffixes with which several names refer to the same density. */
const ENDING = /_l(?:u?pdf|u?pmf)$/;

/**
 * Renames the declaration to which an occurrence refers. A density keeps its suffix: `f_lpdf` is renamed together with `f_lupdf` and `~ f`.
 * Returns a reason if the renamed program would have a new error, or if any name would refer to another declaration.
 */
export function rename(program: ProgramText, occurrence: Occurrence, newName: string): Renaming {
  const names = namesOf(program);
  if (names === undefined) return refused('The program has a syntax error.');
  const declared = names.meaning(occurrence);
  if (declared === undefined) return refused(`${occurrence.name} is not declared in this program.`);
  if (!/^[A-Za-z]\w*$/.test(newName)) {
    return refused(
      `${JSON.stringify(newName)} is not a valid name: use letters, digits and _, and start with a letter.`,
    );
  }
  const stem = stemOf(occurrence, declared.kind === 'function' ? declared.name : '', newName);
  if (stem === undefined) {
    return refused(`The new name must end with ${ENDING.exec(occurrence.name)?.[0]}, as ${occurrence.name} does.`);
  }
  const edits = names.renamedTogether(declared).map(({ name, at, role }): Edit => {
    const ending = stem.isDensity && role !== 'distribution' ? (ENDING.exec(name)?.[0] ?? '') : '';
    return { at, text: stem.text + ending };
  });
  const reason = objection(program, edited(program, edits), names);
  return reason === undefined ? { kind: 'edits', edits } : refused(reason);
}

function refused(reason: string): Renaming {
  return { kind: 'refused', reason };
}

/** The new name without a density's suffix; undefined if a required suffix is missing. */
function stemOf({ name, role }: Occurrence, declared: string, newName: string) {
  const isDensity = ENDING.test(declared);
  if (!isDensity || role === 'distribution') return { isDensity, text: newName };
  const ending = ENDING.exec(name)?.[0] ?? '';
  return newName.endsWith(ending) ? { isDensity, text: newName.slice(0, newName.length - ending.length) } : undefined;
}

function namesOf(program: ProgramText): ProgramNames | undefined {
  const parsed = parse(program, new Map(Object.entries(program.includes)));
  return 'program' in parsed ? new ProgramNames(parsed.program) : undefined;
}

/** The reason why a renaming must not be applied; undefined if it is safe. */
function objection(before: ProgramText, after: ProgramText, names: ProgramNames): string | undefined {
  const errors = errorsOf(after);
  if (errors.length > errorsOf(before).length) return errors[0];
  const renamed = namesOf(after);
  if (renamed === undefined) return 'With this name, the program cannot be parsed.';
  const [old, changed] = [names, renamed].map(meanings);
  const differs = old.length !== changed.length || old.some((place, k) => place !== changed[k]);
  return differs ? 'With this name, the program would refer to another declaration of the same name.' : undefined;
}

function errorsOf({ name, text, includes }: ProgramText): readonly string[] {
  return analyze(text, { name, includes: new Map(Object.entries(includes)) }).errors.map(({ message }) => message);
}

/** For each occurrence of a name, the index of the declaration that it refers to, or -1. */
function meanings(names: ProgramNames): readonly number[] {
  const numbers = new Map(names.declared.map((declared, k) => [declared, k]));
  return names.occurrences.map((occurrence) => {
    const meant = names.meaning(occurrence);
    return meant === undefined ? -1 : (numbers.get(meant) ?? -1);
  });
}
