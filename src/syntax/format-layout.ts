/**
 * Line breaking with boxes and break hints, as in OCaml's Format, which stanc's formatter uses.
 *
 * After D. C. Oppen, "Prettyprinting", ACM TOPLAS 2(4), 1980, with Format's types of boxes. Oppen's algorithm prints while reading, with a
 * lookahead of at most one line. This implementation knows the sizes of boxes and breaks before it prints. `reach` reproduces the one
 * visible difference: text that fills the line to its last column counts as too long while more may follow.
 */

/**
 * The behavior of breaks in a box that does not fit on the line. `never` and `always` break; `together`: all or none; `each`: only as
 * needed; `indenting`: as needed, and if the next line starts further to the left.
 */
export type BoxKind = 'never' | 'always' | 'together' | 'each' | 'indenting';

interface Measured {
  /** Its width plus that of the text up to the next break or the end of the box; for a box, its whole width. */
  size: number;
  /** The part of the size up to the last text; 0 if no text followed. */
  reach: number;
}

type Item =
  | { readonly kind: 'text'; readonly lines: readonly string[] }
  | { readonly kind: 'newline' }
  | ({ readonly kind: 'break'; readonly blanks: number; readonly indent: number } & Measured)
  | ({ readonly kind: 'open'; readonly box: BoxKind; readonly indent: number } & Measured)
  | { readonly kind: 'close' };

/** A box or break whose end has not been reached yet. */
interface Pending {
  readonly item: Extract<Item, Measured>;
  readonly start: number;
  readonly texts: number;
}

/** The minimum space in which a box may begin. */
const LEAST_SPACE = 10;

/** Receives a text piece by piece, then breaks it into lines. */
export class Layout {
  readonly #margin: number;
  readonly #items: Item[] = [];
  readonly #pending: Pending[] = [];
  #width = 0;
  #textEnd = 0;
  #texts = 0;

  /** Lines have fewer than `margin` columns if possible. */
  constructor(margin: number) {
    this.#margin = margin;
  }

  text(text: string): void {
    this.lines([text]);
  }

  /** Prints a text unchanged. Its lines are aligned, except in the last ten columns. */
  lines(lines: readonly string[]): void {
    this.#items.push({ kind: 'text', lines });
    for (const line of lines) this.#width += columnsOf(line);
    this.#textEnd = this.#width;
    this.#texts++;
  }

  /** Blanks, or a line break with `indent` columns in addition to the indentation of the box. */
  break(blanks: number, indent = 0): void {
    this.#endBreak();
    this.#start({ kind: 'break', blanks, indent, size: 0, reach: 0 });
    this.#width += blanks;
  }

  /** A break that is empty while the line continues. */
  cut(): void {
    this.break(0);
  }

  space(): void {
    this.break(1);
  }

  /** Ends the line, regardless of the box. */
  newline(): void {
    this.#items.push({ kind: 'newline' });
    this.#textEnd = this.#width;
    this.#texts++;
  }

  open(box: BoxKind, indent = 0): void {
    this.#start({ kind: 'open', box, indent, size: 0, reach: 0 });
  }

  close(): void {
    this.#items.push({ kind: 'close' });
    this.#endBreak();
    this.#end();
  }

  /** `open`, the output of `write`, `close`. */
  box(kind: BoxKind, indent: number, write: () => void): void {
    this.open(kind, indent);
    write();
    this.close();
  }

  #start(item: Pending['item']): void {
    this.#items.push(item);
    this.#pending.push({ item, start: this.#width, texts: this.#texts });
  }

  /** The last break of the innermost box is over. */
  #endBreak(): void {
    if (this.#pending.at(-1)?.item.kind === 'break') this.#end();
  }

  #end(): void {
    const ended = this.#pending.pop();
    if (ended === undefined) throw new Error('a box is closed that was not opened');
    const { item, start, texts } = ended;
    item.size = this.#width - start;
    item.reach = this.#texts > texts ? this.#textEnd - start : Number.NEGATIVE_INFINITY;
  }

  /** The text in lines. Closes boxes that are still open. */
  toString(): string {
    while (this.#pending.length > 0) this.#end();
    const lines = new Lines(this.#margin);
    for (const item of this.#items) lines.add(item);
    return lines.text;
  }
}

interface OpenBox {
  /** `fits`: none of its breaks is taken. */
  readonly kind: BoxKind | 'fits';
  /** Columns from its left edge to the margin. */
  readonly width: number;
}

/** One column per character, including characters outside the basic plane. */
function columnsOf(text: string): number {
  return /[\ud800-\udbff]/.test(text) ? [...text].length : text.length;
}

/** Prints measured items. */
class Lines {
  text = '';
  readonly #margin: number;
  readonly #greatestIndent: number;
  readonly #boxes: OpenBox[] = [];
  /** Columns left on the line. */
  #space: number;
  #indent = 0;
  #isNew = true;

  constructor(margin: number) {
    this.#margin = margin;
    this.#space = margin;
    this.#greatestIndent = margin - LEAST_SPACE;
  }

  add(item: Item): void {
    const box = this.#boxes.at(-1);
    switch (item.kind) {
      case 'text':
        this.#write(item.lines);
        break;
      case 'newline':
        if (box !== undefined) this.#breakLine(box.width, 0);
        break;
      case 'open':
        this.#open(item, box);
        break;
      case 'close':
        this.#boxes.pop();
        break;
      case 'break':
        if (box === undefined) break;
        if (this.#isTaken(item, box)) this.#breakLine(box.width, item.indent);
        else {
          this.text += ' '.repeat(item.blanks);
          this.#space -= item.blanks;
        }
    }
  }

  #write(lines: readonly string[]): void {
    const [first = '', ...rest] = lines;
    this.text += first;
    this.#space -= columnsOf(first);
    if (rest.length > 0) {
      const column = this.#margin - this.#space - columnsOf(first);
      this.#indent = Math.min(this.#greatestIndent, column);
      for (const line of rest) this.text += `\n${' '.repeat(this.#indent)}${line}`;
      this.#space = this.#margin - this.#indent - columnsOf(rest.at(-1) ?? '');
    }
    this.#isNew = false;
  }

  #fits({ size, reach }: Measured): boolean {
    return size <= this.#space && reach < this.#space;
  }

  #open(item: Extract<Item, { readonly kind: 'open' }>, outer: OpenBox | undefined): void {
    if (this.#margin - this.#space > this.#greatestIndent && outer !== undefined) this.#moveLeft(outer);
    const fits = item.box !== 'always' && this.#fits(item);
    this.#boxes.push({ kind: fits ? 'fits' : item.box, width: this.#space - item.indent });
  }

  /** If a box would begin too far to the right, breaks the line before it, if the enclosing box permits that. */
  #moveLeft({ kind, width }: OpenBox): void {
    if (width > this.#space && kind !== 'fits' && kind !== 'never') this.#breakLine(width, 0);
  }

  #isTaken(item: Extract<Item, { readonly kind: 'break' }>, { kind, width }: OpenBox): boolean {
    switch (kind) {
      case 'fits':
      case 'never':
        return false;
      case 'always':
      case 'together':
        return true;
      case 'each':
        return !this.#fits(item);
      case 'indenting':
        if (this.#isNew) return false;
        return !this.#fits(item) || this.#indent > this.#margin - width + item.indent;
    }
  }

  #breakLine(width: number, indent: number): void {
    this.#indent = Math.min(this.#greatestIndent, this.#margin - width + indent);
    this.text += `\n${' '.repeat(this.#indent)}`;
    this.#space = this.#margin - this.#indent;
    this.#isNew = true;
  }
}
