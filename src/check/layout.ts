import { isFunctionType } from '../language/promotion.js';
import { type FunctionParameter, showType, type Type, unwindArray } from '../language/types.js';

/**
 * Breaks a message into lines like stanc. The markup is that of OCaml's Format: `@[<v 2>` … `@]` is a box (h, v, hv, hov, or none for a
 * structural box) with an indentation, `@ ` is a break that is a blank if the line continues, and `@,` is a break that is empty if the line
 * continues. Source: Oppen, "Prettyprinting", TOPLAS 2(4), 1980, as the OCaml manual's chapter on Format describes its variant.
 */
export function layout(markup: string): string {
  const root: Box = {
    kind: 'box',
    type: 'hov',
    indent: 0,
    items: parse(new Cursor(markup)),
    size: Number.POSITIVE_INFINITY,
  };
  const lastBreak = root.items.findLast((item) => item.kind === 'break');
  measure(root.items);
  if (lastBreak !== undefined) lastBreak.size = Number.POSITIVE_INFINITY;
  const printer = new Printer();
  printer.box(root);
  return printer.text;
}

const MARGIN = 77;
const MAX_INDENT = 68;

type BoxType = 'h' | 'v' | 'hv' | 'hov' | 'structural' | 'fits';

interface Text {
  readonly kind: 'text';
  readonly text: string;
}
interface Break {
  readonly kind: 'break';
  readonly blanks: number;
  /** The width from this item to the next break of the box, or to its end. */
  size: number;
}
interface Box {
  readonly kind: 'box';
  readonly type: BoxType;
  readonly indent: number;
  readonly items: Item[];
  size: number;
}
type Item = Text | Break | Box;

class Cursor {
  readonly #source: string;
  #at = 0;

  constructor(source: string) {
    this.#source = source;
  }

  take(pattern: RegExp): RegExpExecArray | null {
    const sticky = new RegExp(pattern, 'y');
    sticky.lastIndex = this.#at;
    const match = sticky.exec(this.#source);
    if (match !== null) this.#at = sticky.lastIndex;
    return match;
  }
}

const BOX_TYPES: Readonly<Record<string, BoxType>> = { h: 'h', v: 'v', hv: 'hv', hov: 'hov' };

function parse(cursor: Cursor): Item[] {
  const items: Item[] = [];
  for (;;) {
    const text = cursor.take(/[^@]+/);
    if (text !== null) {
      items.push({ kind: 'text', text: text[0] });
      continue;
    }
    const open = cursor.take(/@\[(?:<(h|v|hv|hov)? ?(\d*)>)?/);
    if (open !== null) {
      const type = BOX_TYPES[open[1] ?? ''] ?? 'structural';
      items.push({ kind: 'box', type, indent: Number(open[2] ?? 0), items: parse(cursor), size: 0 });
      continue;
    }
    const pause = cursor.take(/@([ ,])/);
    if (pause === null) {
      cursor.take(/@\]/);
      return items;
    }
    items.push({ kind: 'break', blanks: pause[1] === ' ' ? 1 : 0, size: 0 });
  }
}

/** Sets the size of every break and box; returns the total width. */
function measure(items: readonly Item[]): number {
  let width = 0;
  let last: { item: Break; start: number } | undefined;
  for (const item of items) {
    if (item.kind === 'text') width += item.text.length;
    else if (item.kind === 'box') {
      item.size = measure(item.items);
      width += item.size;
    } else {
      if (last !== undefined) last.item.size = width - last.start;
      last = { item, start: width };
      width += item.blanks;
    }
  }
  if (last !== undefined) last.item.size = width - last.start;
  return width;
}

class Printer {
  text = '';
  #left = MARGIN;
  #indent = 0;
  #isNewLine = true;

  box(box: Box, outer?: { readonly type: BoxType; readonly start: number }): void {
    const isDeep = MARGIN - this.#left > MAX_INDENT;
    if (isDeep && outer !== undefined && outer.type !== 'h' && outer.type !== 'fits') this.#newLine(outer.start);
    const start = MARGIN - this.#left + box.indent;
    const type = box.type === 'v' ? 'v' : box.size > this.#left ? box.type : 'fits';
    for (const item of box.items) {
      if (item.kind === 'box') this.box(item, { type, start });
      else if (item.kind === 'text') this.#write(item.text);
      else if (this.#mustBreak(type, item, start)) this.#newLine(start);
      else this.#blanks(item.blanks);
    }
  }

  #mustBreak(type: BoxType, { size }: Break, start: number): boolean {
    switch (type) {
      case 'h':
      case 'fits':
        return false;
      case 'v':
      case 'hv':
        return true;
      case 'hov':
        return size > this.#left;
      case 'structural':
        return !this.#isNewLine && (size > this.#left || this.#indent > start);
    }
  }

  #write(text: string): void {
    this.text += text;
    this.#left -= text.length;
    this.#isNewLine = false;
  }

  #blanks(count: number): void {
    this.text += ' '.repeat(count);
    this.#left -= count;
  }

  #newLine(indent: number): void {
    this.#indent = Math.min(indent, MAX_INDENT);
    this.text += `\n${' '.repeat(this.#indent)}`;
    this.#left = MARGIN - this.#indent;
    this.#isNewLine = true;
  }
}

/** A name in quotation marks, as markup. */
export function quote(name: string): string {
  return `@[<1>"${name}"@]`;
}

/** A type in Stan's spelling, as markup. */
export function showMarkup(type: Type): string {
  switch (type.kind) {
    case 'array': {
      const { element, depth } = unwindArray(type);
      return `array[${','.repeat(depth - 1)}] ${showMarkup(element)}`;
    }
    case 'tuple': {
      const elements = type.elements.map(showMarkup);
      return `tuple(@[${elements.length === 1 ? `${elements[0]},` : elements.join(',@ ')}@])`;
    }
    case 'function':
      return `@[<h>(${parametersMarkup(type.parameters)}) => ${showMarkup(type.result)}@]`;
    default:
      return showType(type);
  }
}

/** The parameters of a signature, as markup. */
export function parametersMarkup(parameters: readonly FunctionParameter[]): string {
  return parameters
    .map(({ level, type }) =>
      level === 'data' && !isFunctionType(type) ? `data ${showMarkup(type)}` : showMarkup(type),
    )
    .join(',@ ');
}
