/**
 * Converts ranges in programs to ranges in files, and finds names that several programs share through an included file.
 */
import type { Location, TextDocumentEdit } from 'vscode-languageserver/node';
import type { Edit } from '../derive/program-text.js';
import type { Stretch } from '../derive/symbols.js';
import type { AnalysisThread } from './analysis-thread.js';
import type { Document, Key } from './document.js';
import type { Program, Programs } from './programs.js';

/** An occurrence of a name, in UTF-16 offsets of a file. */
export interface Place {
  readonly key: Key;
  readonly from: number;
  readonly to: number;
}

export interface PlacedEdit extends Place {
  readonly text: string;
}

export function placeOf({ file, from, to }: Stretch, { keys }: Program): Place | undefined {
  const key = keys.get(file);
  return key === undefined ? undefined : { key, from, to };
}

export function locationOf({ key, from, to }: Place, programs: Programs): Location[] {
  const document = programs.document(key);
  return document === undefined ? [] : [{ uri: document.uri, range: document.range({ from, to }) }];
}

/** The names by which a program includes a file. */
export function namesOf(key: Key, { keys }: Program): readonly string[] {
  return [...keys].flatMap(([name, file]) => (file === key ? [name] : []));
}

/** All occurrences of a name in the programs that include the file with its declaration. */
export async function allReferences(
  programs: Programs,
  thread: AnalysisThread,
  start: { readonly document: Document; readonly offset: number },
): Promise<readonly Place[]> {
  const first = { key: start.document.key, from: start.offset, to: start.offset };
  const ask = async (program: Program, file: string, { from }: Place) => {
    const found = await thread.ask(program.root, program.source, { kind: 'references', file, offset: from });
    return found.flatMap((stretch) => placeOf(stretch, program) ?? []);
  };
  return throughPrograms(programs, first, ask);
}

/** The reason why a name cannot be renamed. */
export class RenamingRefused extends Error {
  override readonly name = 'RenamingRefused';
}

/** The edits in all programs that include the file with a renamed declaration. Throws `RenamingRefused`. */
export async function allRenamed(
  programs: Programs,
  thread: AnalysisThread,
  start: { readonly document: Document; readonly offset: number },
  newName: string,
): Promise<readonly PlacedEdit[]> {
  const first = { key: start.document.key, from: start.offset, to: start.offset, text: newName };
  const ask = async (program: Program, file: string, { from, text }: PlacedEdit) => {
    const question = { kind: 'rename', file, offset: from, newName: text } as const;
    const found = await thread.ask(program.root, program.source, question);
    if (found.kind === 'refused') {
      throw new RenamingRefused(file === program.root ? found.reason : `${program.root}: ${found.reason}`);
    }
    return found.edits.flatMap((edit) => placedEditOf(edit, program) ?? []);
  };
  return throughPrograms(programs, first, ask);
}

function placedEditOf({ at, text }: Edit, program: Program): PlacedEdit | undefined {
  const place = placeOf(at, program);
  return place && { ...place, text };
}

/**
 * Queries each program that includes a file in which something has been found, once, at a place that it shares with a
 * program queried before.
 */
async function throughPrograms<P extends Place>(
  programs: Programs,
  first: P,
  ask: (program: Program, file: string, place: P) => Promise<readonly P[]>,
): Promise<readonly P[]> {
  const found = new Map<string, P>();
  const asked = new Set<Key>();
  const files = new Set([first.key]);
  const waiting: P[] = [first];
  for (let place = waiting.pop(); place !== undefined; place = waiting.pop()) {
    for (const program of programs.programsOf(place.key)) {
      const [file] = namesOf(place.key, program);
      if (asked.has(program.root) || file === undefined) continue;
      asked.add(program.root);
      for (const each of await ask(program, file, place)) {
        const key = `${each.from} ${each.key}`;
        if (found.has(key)) continue;
        found.set(key, each);
        if (!files.has(each.key)) waiting.push(each);
        files.add(each.key);
      }
    }
  }
  return [...found.values()];
}

/** Edits by file, of the versions that the client has. */
export function documentEdits(edits: readonly PlacedEdit[], programs: Programs): TextDocumentEdit[] {
  return [...new Set(edits.map(({ key }) => key))].flatMap((key) => {
    const document = programs.document(key);
    if (document === undefined) return [];
    const own = edits.filter((edit) => edit.key === key);
    const textEdits = own.map((edit) => ({ range: document.range(edit), newText: edit.text }));
    return [{ textDocument: { uri: document.uri, version: document.version ?? null }, edits: textEdits }];
  });
}
