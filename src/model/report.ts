import type { Location, Site, SitePart } from '../wasm/artifact.js';
import { fixedReal, streamReal } from './number-text.js';

/** The text of a reported site, its values taken from memory at `values`, without a location. */
export function siteText(site: Site, memory: ArrayBuffer, values: number): string {
  const view = new DataView(memory);
  return site.parts.map((part) => partText(part, view, values)).join('');
}

/** ` (in 'model.stan', line 5, column 2 to column 9)`, or nothing where the place is unknown. */
export function locationText({ begin, end }: Site): string {
  if (begin === null || end === null) return '';
  const to =
    begin.line === end.line && begin.file === end.file
      ? `to column ${end.column}`
      : `to line ${end.line}, column ${end.column}`;
  return ` (in ${place(begin)} ${to}${included(begin)})`;
}

function place({ file, line, column }: Location): string {
  return `'${file}', line ${line}, column ${column}`;
}

function included({ includedFrom }: Location): string {
  return includedFrom === null ? '' : `, included from\n${place(includedFrom)}${included(includedFrom)}`;
}

function partText(part: SitePart, view: DataView, values: number): string {
  if (part.kind === 'text') return part.text;
  if (part.kind === 'scalar') {
    const address = values + 8 * part.value;
    const value = view.getFloat64(address, true);
    if (part.type === 'int') return String(value);
    if (part.precision !== undefined) return streamReal(value, undefined, part.precision);
    return part.fixed ? fixedReal(value) : realText(view, address);
  }
  const number = (k: number): number => view.getFloat64(values + 8 * (part.value + k), true);
  const sizes = Array.from({ length: part.rank }, (_, axis) => number(1 + axis));
  const address = number(0) >>> 0;
  const element = (index: number): string =>
    part.type === 'int' ? String(view.getInt32(address + 4 * index, true)) : realText(view, address + 8 * index);
  return containerText(sizes, part.element === 'matrix', 0, element);
}

/** `[1,2,3]`; nested for arrays; a matrix row by row, though it lies column by column. */
function containerText(
  sizes: readonly number[],
  isMatrix: boolean,
  first: number,
  element: (index: number) => string,
): string {
  const [size, ...inner] = sizes;
  const items = Array.from({ length: size }, (_, k) => {
    if (sizes.length === 1) return element(first + k);
    if (isMatrix && sizes.length === 2) {
      return `[${Array.from({ length: inner[0] }, (_, column) => element(first + column * size + k)).join(',')}]`;
    }
    const stride = inner.reduce((product, n) => product * n, 1);
    return containerText(inner, isMatrix, first + k * stride, element);
  });
  return `[${items.join(',')}]`;
}

/** The sign of a NaN is printed too, so that it is taken from the bits. */
function realText(view: DataView, address: number): string {
  return streamReal(view.getFloat64(address, true), view.getInt32(address + 4, true) < 0);
}
