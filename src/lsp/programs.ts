/** Programs of the open texts and of the workspace: which files each includes, and which program a file belongs to. */
import { type Dirent, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { ProgramText } from '../derive/program-text.js';
import { highlight } from '../editing/highlight.js';
import { readText } from '../node/input-files.js';
import { includedFiles } from '../node/program-files.js';
import { isFunctionFile } from '../source/span.js';
import { Document, isPath, type Key, uriOf } from './document.js';

/** MiB of a file that is not open. */
const FILE_LIMIT = 16;
/** Programs that are searched for those that include a file. */
const MOST_PROGRAMS = 2000;
const DEEPEST_FOLDER = 8;

/** A program with the files that its texts come from. */
export interface Program {
  readonly root: Key;
  readonly source: ProgramText;
  /** The file of each text, by the text's name. */
  readonly keys: ReadonlyMap<string, Key>;
}

export class Programs {
  /** Folders for `#include`, which are searched before the program's folder. */
  includePaths: readonly string[] = [];
  folders: readonly string[] = [];
  readonly #open = new Map<Key, Document>();
  readonly #uris = new Map<Key, string>();
  #candidates: ReadonlyMap<Key, ReadonlySet<Key>> | undefined;

  open(document: Document): void {
    const before = this.#open.get(document.key);
    this.#open.set(document.key, document);
    this.#uris.set(document.key, document.uri);
    if (before === undefined || includeLines(before.text) !== includeLines(document.text)) this.forget();
  }

  close(key: Key): void {
    this.#open.delete(key);
    this.forget();
  }

  /** Makes the files be read again at the next use. */
  forget(): void {
    this.#candidates = undefined;
  }

  get openKeys(): readonly Key[] {
    return [...this.#open.keys()];
  }

  isOpen(key: Key): boolean {
    return this.#open.has(key);
  }

  /** The current version of a text; undefined if it does not exist or cannot be read as text. */
  document(key: Key): Document | undefined {
    const open = this.#open.get(key);
    if (open !== undefined || !isPath(key)) return open;
    try {
      return new Document(this.uri(key), undefined, readText(key, { regular: true, limit: FILE_LIMIT }));
    } catch {
      return undefined;
    }
  }

  /** The URI in the client's form, for a text that is or was open. */
  uri(key: Key): string {
    return this.#uris.get(key) ?? uriOf(key);
  }

  program(root: Key): Program {
    const text = this.document(root)?.text ?? '';
    const folders = [...this.includePaths, ...(isPath(root) ? [dirname(root)] : this.folders)];
    const files = includedFiles(text, folders, (path) => this.document(path)?.text);
    const keys = new Map(files.map(({ name, path }): [string, Key] => [name, path]));
    const includes = Object.fromEntries(files.map(({ name, text }) => [name, text]));
    if (!isFunctionFile(root)) {
      keys.set(root, root);
      return { root, source: { name: root, text, includes }, keys };
    }
    // A file of functions is analyzed as a program that includes only this file.
    const name = basename(root).replace(/["\r\n]/g, '_');
    keys.set(name, root);
    const program = `functions {\n#include "${name}"\n}\n`;
    return { root, source: { name: '', text: program, includes: { ...includes, [name]: text } }, keys };
  }

  /** The programs that include a file, open ones first. Without any, the file itself, if it can be a program. */
  programsOf(key: Key): readonly Program[] {
    const including = this.#including(key);
    const roots = including.length > 0 ? including : [key];
    return roots.map((root) => this.program(root));
  }

  /** The programs of the workspace and the open texts. */
  get known(): readonly Key[] {
    this.#candidates ??= this.#readCandidates();
    return [...this.#candidates.keys()];
  }

  /** The programs to check: those of the open texts, excluding fragments that no known program includes. */
  get checked(): readonly Key[] {
    const roots = this.openKeys.flatMap((key) => {
      const including = this.#including(key);
      if (including.length === 0) return isFunctionFile(key) || this.#isWhole(key) ? [key] : [];
      const open = including.filter((root) => this.isOpen(root));
      return open.length > 0 ? open : including.slice(0, 1);
    });
    return [...new Set(roots)];
  }

  #isWhole(key: Key): boolean {
    const text = this.document(key)?.text ?? '';
    return highlight(text).some(({ style }) => style === 'block') || text.includes('#include');
  }

  #including(key: Key): readonly Key[] {
    this.#candidates ??= this.#readCandidates();
    const found = [...this.#candidates].flatMap(([root, files]) => (files.has(key) && root !== key ? [root] : []));
    return found.sort((a, b) => Number(this.isOpen(b)) - Number(this.isOpen(a)) || (a < b ? -1 : 1));
  }

  /** The files of every program that can be found. */
  #readCandidates(): ReadonlyMap<Key, ReadonlySet<Key>> {
    const own = this.openKeys.filter(isPath).map((key) => dirname(key));
    const programs = new Set(this.openKeys.filter((key) => !isFunctionFile(key)));
    for (const folder of this.folders) collectPrograms(folder, DEEPEST_FOLDER, programs);
    for (const folder of own) collectPrograms(folder, 0, programs);
    return new Map([...programs].map((root) => [root, new Set(this.program(root).keys.values())]));
  }
}

function includeLines(text: string): string {
  return (text.match(/#include[^\r\n]*/g) ?? []).join('\n');
}

function collectPrograms(folder: string, depth: number, found: Set<Key>): void {
  for (const entry of entriesOf(folder)) {
    if (found.size >= MOST_PROGRAMS) return;
    const path = join(folder, entry.name);
    const isHidden = entry.name.startsWith('.') || entry.name === 'node_modules';
    if (entry.isDirectory() && depth > 0 && !isHidden) collectPrograms(path, depth - 1, found);
    if (entry.isFile() && entry.name.endsWith('.stan')) found.add(path);
  }
}

function entriesOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}
