import type { Artifact, Location, Site, SitePart, Stretch, TupleStep } from '../wasm/artifact.js';
import { fixedReal, streamReal } from './number-text.js';
import { memoryStrides } from './shape.js';

/** The text of a reported site, without a location. Reads its values from memory at address `values`. */
export function siteText(site: Site, memory: ArrayBuffer, values: number): string {
  const view = new DataView(memory);
  return joined(site.parts)
    .map((part) => (Array.isArray(part) ? togetherText(part, view, values) : partText(part, view, values)))
    .join('');
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

/** The text of an array of tuples: the slots of each element in parentheses. */
function togetherText(parts: readonly ContainerPart[], view: DataView, values: number): string {
  const open = parts.map((part) => openContainer(part, view, values));
  const group = (members: readonly OpenContainer[], level: number, indexes: readonly number[]): string => {
    const [first] = members;
    const step = first.within[level];
    if (step === undefined) return elementText(first, indexes);
    const tuple = (at: readonly number[]): string => {
      const slots = Array.from({ length: step.slots }, (_, slot) =>
        members.filter((member) => member.within[level].slot === slot),
      );
      return `(${slots.map((slot) => group(slot, level + 1, at)).join(',')})`;
    };
    return nested(first.sizes.slice(indexes.length, indexes.length + step.axes), indexes, tuple);
  };
  return group(open, 0, []);
}

/**
 * The message of a failure. Each enclosing function adds `Exception: ` and the location of its call, such as
 * ` (in 'model.stan', line 5, column 2 to column 9)`, if it is known. `calls` are the open calls, innermost first.
 */
export function failureText(text: string, failing: Site, calls: readonly Site[]): string {
  const places = [failing, ...calls].flatMap((site) => [site, ...(site.callers ?? [])]);
  return `${'Exception: '.repeat(places.length)}${text}${places.map(stretchText).join('')}`;
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

function partText(part: SitePart, view: DataView, values: number): string {
  if (part.kind === 'text') return part.text;
  if (part.kind === 'range') {
    const size = view.getFloat64(values + 8 * part.value, true);
    return size === 0 ? 'container is empty and cannot be indexed' : `expecting index to be between 1 and ${size}`;
  }
  if (part.kind === 'scalar') {
    const address = values + 8 * part.value;
    const value = view.getFloat64(address, true);
    if (part.type === 'int') return String(value);
    if (part.precision !== undefined) return streamReal(value, undefined, part.precision);
    return part.fixed ? fixedReal(value) : realText(view, address);
  }
  const container = openContainer(part, view, values);
  return part.aligned ? alignedText(container) : elementText(container, []);
}

/** A matrix with one line per row, its elements padded to the widest. */
function alignedText({ sizes: [rows, columns], text }: OpenContainer): string {
  const lines = Array.from({ length: rows }, (_, i) => Array.from({ length: columns }, (_, j) => text(j * rows + i)));
  const width = Math.max(0, ...lines.flat().map((element) => element.length));
  return lines.map((line) => line.map((element) => element.padStart(width)).join(' ')).join('\n');
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

/** The contents of a container at its leading indexes: an element, or an array of elements. */
function elementText({ sizes, strides, text }: OpenContainer, indexes: readonly number[]): string {
  return nested(sizes.slice(indexes.length), indexes, (at) =>
    text(at.reduce((sum, index, axis) => sum + index * strides[axis], 0)),
  );
}

/** `[1,2,3]`, nested for several axes. */
function nested(
  sizes: readonly number[],
  indexes: readonly number[],
  element: (indexes: readonly number[]) => string,
): string {
  if (sizes.length === 0) return element(indexes);
  const items = Array.from({ length: sizes[0] }, (_, k) => nested(sizes.slice(1), [...indexes, k], element));
  return `[${items.join(',')}]`;
}

/** The sign of NaN is also printed, so it is read from the bits. */
function realText(view: DataView, address: number): string {
  return streamReal(view.getFloat64(address, true), view.getInt32(address + 4, true) < 0);
}
