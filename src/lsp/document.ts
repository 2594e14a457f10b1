/** Texts with their URIs, and positions of the protocol in them. */
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Position, Range, TextDocumentContentChangeEvent } from 'vscode-languageserver/node';
import { TextDocument } from 'vscode-languageserver-textdocument';
import { withoutMark } from '../syntax/lexer.js';

/** The path of a file, or the URI of a text that is not in a file, such as `untitled:1`. */
export type Key = string;

export function keyOf(uri: string): Key {
  try {
    return uri.startsWith('file:') ? fileURLToPath(uri) : uri;
  } catch {
    return uri;
  }
}

export function uriOf(key: Key): string {
  return isPath(key) ? pathToFileURL(key).href : key;
}

/** Whether a key is the path of a file. */
export function isPath(key: Key): boolean {
  return /^(?:[/\\]|[A-Za-z]:[/\\])/.test(key);
}

/**
 * One version of a text. Positions and offsets count UTF-16 code units, the protocol's default. Offsets exclude the
 * byte order mark, which the compiler does not receive.
 */
export class Document {
  readonly uri: string;
  readonly key: Key;
  /** The client's version number; undefined for a file that is not open. */
  readonly version: number | undefined;
  /** The text without a byte order mark. */
  readonly text: string;
  readonly #whole: TextDocument;
  readonly #mark: number;

  constructor(uri: string, version: number | undefined, content: string) {
    this.uri = uri;
    this.key = keyOf(uri);
    this.version = version;
    this.text = withoutMark(content);
    this.#mark = content.length - this.text.length;
    this.#whole = TextDocument.create(uri, 'stan', version ?? 0, content);
  }

  /** The next version. */
  changed(changes: TextDocumentContentChangeEvent[], version: number): Document {
    const copy = TextDocument.create(this.uri, 'stan', this.version ?? 0, this.#whole.getText());
    return new Document(this.uri, version, TextDocument.update(copy, changes, version).getText());
  }

  offset(position: Position): number {
    return Math.max(0, this.#whole.offsetAt(position) - this.#mark);
  }

  position(offset: number): Position {
    return this.#whole.positionAt(offset + this.#mark);
  }

  range({ from, to }: { readonly from: number; readonly to: number }): Range {
    return { start: this.position(from), end: this.position(to) };
  }
}
