import { fixedReal, streamReal } from '../formats/number-text.js';
import type { Artifact, Location, Site, SitePart, Stretch, TupleStep } from '../wasm/artifact.js';
import { memoryStrides } from './shape.js';

/**
 * The text of a reported site, without a location. Reads its values from memory at address `values`. A text of more than `longest`
 * characters is cut: containers are not rendered beyond the limit, because their text may exceed the longest string of the host.
 */
export function siteText(site: Site, memory: ArrayBuffer, values: number, longest: number): string {
  const view = new DataView(memory);
  const text = new BoundedText(longest);
  try {
    for (const part of joined(site.parts)) {
      if (Array.isArray(part)) writeTogether(part, view, values, text);
      else writePart(part, view, values, text);
    }
  } catch (error) {
    if (error !== text) throw error;
    return `${text.take().slice(0, longest)}… (the rest of this text is omitted: it is longer than ${longest / 1024} KiB)`;
  }
  return text.take();
}

/** Collects a text. `write` throws this object when the text exceeds its limit. */
class BoundedText {
  readonly longest: number;
  private readonly pieces: string[] = [];
  private left: number;

  constructor(longest: number) {
    this.longest = longest;
    this.left = longest;
  }

  write(piece: string): void {
    this.pieces.push(piece);
    this.left -= piece.length;
    if (this.left < 0) throw this;
  }

  take(): string {
    return this.pieces.join('');
  }
}

type ContainerPart = Extract<SitePart, { kind: 'container' }>;

/** The parts, with the parts of one tuple combined. */
function joined(parts: readonly SitePart[]): (SitePart | ContainerPart[])[] {
  const all: (SitePart | ContainerPart[])[] = [];
  let open: ContainerPart[] = [];
  for (const part of parts) {
    if (part.kind !== 'container' || part.within === undefined) {
      all.push(part);
      continue;
    }
    if (open.length === 0) all.push(open);
    open.push(part);
    if (part.within.every(({ slot, slots }) => slot === slots - 1)) open = [];
  }
  return all;
}

/** Writes an array of tuples: the slots of each element in parentheses. */
function writeTogether(parts: readonly ContainerPart[], view: DataView, values: number, text: BoundedText): void {
  const open = parts.map((part) => openContainer(part, view, values));
  const group = (members: readonly OpenContainer[], level: number, indexes: readonly number[]): void => {
    const [first] = members;
    const step = first.within[level];
    if (step === undefined) {
      writeElements(first, indexes, text);
      return;
    }
    const tuple = (at: readonly number[]): void => {
      for (let slot = 0; slot < step.slots; slot++) {
        text.write(slot === 0 ? '(' : ',');
        const inSlot = members.filter((member) => member.within[level].slot === slot);
        group(inSlot, level + 1, at);
      }
      text.write(')');
    };
    writeNested(first.sizes.slice(indexes.length, indexes.length + step.axes), indexes, text, tuple);
  };
  group(open, 0, []);
}

/**
 * The message of a failure. Each enclosing function adds `Exception: ` and the location of its call, such as
 * ` (in 'model.stan', line 5, column 2 to column 9)`, if it is known. `calls` are the open calls, innermost first. A failure without a
 * location belongs to the innermost call.
 */
export function failureText(text: string, failing: Site, calls: readonly Site[]): string {
  const sites = failing.begin === null && calls.length > 0 ? calls : [failing, ...calls];
  const places = sites.flatMap((site) => [site, ...(site.callers ?? [])]);
  return `${'Exception: '.repeat(places.length)}${text}${places.map(stretchText).join('')}`;
}

/** The innermost location of a failure; undefined if none is known. */
export function innermostOf(failing: Site, calls: readonly Site[]): Site | undefined {
  return failing.begin === null ? calls.find(({ begin }) => begin !== null) : failing;
}

/** The sites of the open calls, innermost first; only the latest calls if there are very many. */
export function openCalls({ sites, layout: { calls } }: Artifact, memory: ArrayBuffer): Site[] {
  if (calls === undefined) return [];
  const view = new DataView(memory);
  const count = view.getInt32(calls.count, true);
  return Array.from({ length: Math.min(count, calls.room) }, (_, k) => {
    const slot = (count - 1 - k) % calls.room;
    return sites[view.getInt32(calls.sites + 4 * slot, true)];
  });
}

/** ` (in 'model.stan', line 5, column 2 to column 9)`; empty if the location is unknown. */
export function stretchText({ begin, end }: Stretch): string {
  if (begin === null || end === null) return '';
  if (begin.includedFrom !== null) return ` (in ${place(begin)}${included(begin)})`;
  const to = begin.line === end.line ? `to column ${end.column}` : `to line ${end.line}, column ${end.column}`;
  return ` (in ${place(begin)} ${to})`;
}

function place({ file, line, column }: Location): string {
  return `'${file}', line ${line}, column ${column}`;
}

function included({ includedFrom }: Location): string {
  return includedFrom === null ? '' : `, included from\n${place(includedFrom)}${included(includedFrom)}`;
}

function writePart(part: SitePart, view: DataView, values: number, text: BoundedText): void {
  if (part.kind !== 'container') {
    text.write(partText(part, view, values));
    return;
  }
  const container = openContainer(part, view, values);
  if (part.aligned) writeAligned(container, text);
  else writeElements(container, [], text);
}

function partText(part: Exclude<SitePart, ContainerPart>, view: DataView, values: number): string {
  if (part.kind === 'text') return part.text;
  if (part.kind === 'range') {
    const size = view.getFloat64(values + 8 * part.value, true);
    return size === 0 ? 'container is empty and cannot be indexed' : `expecting index to be between 1 and ${size}`;
  }
  const address = values + 8 * part.value;
  const value = view.getFloat64(address, true);
  if (part.type === 'int') return String(value);
  if (part.precision !== undefined) return streamReal(value, undefined, part.precision);
  return part.fixed ? fixedReal(value) : realText(view, address);
}

/** Writes a matrix with one line per row, its elements padded to the widest. Elements of matrices that will be cut are not padded. */
function writeAligned({ sizes: [rows, columns], text: elementAt }: OpenContainer, text: BoundedText): void {
  let width = 0;
  const size = rows * columns;
  if (size <= text.longest) for (let at = 0; at < size; at++) width = Math.max(width, elementAt(at).length);
  for (let i = 0; i < rows; i++) {
    if (i > 0) text.write('\n');
    for (let j = 0; j < columns; j++) text.write((j === 0 ? '' : ' ') + elementAt(j * rows + i).padStart(width));
  }
}

interface OpenContainer {
  readonly sizes: readonly number[];
  readonly strides: readonly number[];
  readonly within: readonly TupleStep[];
  readonly text: (position: number) => string;
}

function openContainer(part: ContainerPart, view: DataView, values: number): OpenContainer {
  const number = (k: number): number => view.getFloat64(values + 8 * (part.value + k), true);
  const sizes = Array.from({ length: part.rank }, (_, axis) => number(1 + axis));
  const address = number(0) >>> 0;
  const shape = { sizes, arrayDepth: part.rank - 2, element: part.element === 'matrix' ? 'matrix' : 'real' } as const;
  return {
    sizes,
    strides: memoryStrides(shape),
    within: part.within ?? [],
    text: (position) =>
      part.type === 'int'
        ? String(view.getInt32(address + 4 * position, true))
        : realText(view, address + 8 * position),
  };
}

/** Writes the contents of a container at its leading indexes: an element, or an array of elements. */
function writeElements(container: OpenContainer, indexes: readonly number[], text: BoundedText): void {
  const { sizes, strides, text: elementAt } = container;
  writeNested(sizes.slice(indexes.length), indexes, text, (at) =>
    text.write(elementAt(at.reduce((sum, index, axis) => sum + index * strides[axis], 0))),
  );
}

/** Writes `[1,2,3]`, nested for several axes. */
function writeNested(
  sizes: readonly number[],
  indexes: readonly number[],
  text: BoundedText,
  writeElement: (indexes: readonly number[]) => void,
): void {
  if (sizes.length === 0) {
    writeElement(indexes);
    return;
  }
  text.write('[');
  for (let k = 0; k < sizes[0]; k++) {
    if (k > 0) text.write(',');
    writeNested(sizes.slice(1), [...indexes, k], text, writeElement);
  }
  text.write(']');
}

/** The sign of NaN is also printed, so it is read from the bits. */
function realText(view: DataView, address: number): string {
  return streamReal(view.getFloat64(address, true), view.getInt32(address + 4, true) < 0);
}
