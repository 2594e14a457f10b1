/** Stan's terms for an index: a single element, several elements by number, all elements, and ranges with a lower bound, an upper bound or both. */
export type IndexKind = 'uni' | 'multi' | 'omni' | 'min' | 'max' | 'min_max';

/** The beginnings of messages about an axis: for a single index or an element of several, and for the ends of a range. */
export interface IndexPlaces {
  readonly single: string;
  readonly low: string;
  readonly high: string;
}

/** The beginning of Stan's message for the index at `axis` of the indexes of a vector or matrix (or of an array axis). */
export function indexPlace(
  element: 'array' | 'vector' | 'matrix',
  kinds: readonly IndexKind[],
  axis: number,
  use: 'read' | 'assign',
): IndexPlaces {
  return use === 'read' ? readPlace(element, kinds, axis) : assignPlace(element, kinds, axis);
}

function same(place: string): IndexPlaces {
  return { single: place, low: place, high: place };
}

function readPlace(element: 'array' | 'vector' | 'matrix', kinds: readonly IndexKind[], axis: number): IndexPlaces {
  const [first, second] = kinds;
  if (element === 'array') return same(first === 'uni' ? 'array[uni, ...] index' : 'array[..., ...] index');
  if (element === 'vector') return vectorRead(first);
  if (second === undefined) return rowRead(first);
  if (first === 'min_max' && second === 'min_max') {
    const line = axis === 0 ? 'row' : 'column';
    return ends((end) => `matrix[min_max, min_max] ${end} ${line} indexing`);
  }
  if (axis === 1) {
    if (first === 'uni' && second === 'uni') return same('matrix[uni,uni] column indexing');
    if (first === 'uni' && second === 'multi') return same('matrix[uni, multi] column indexing');
    if (first === 'multi' && second === 'uni') return same('matrix[multi, uni] column indexing');
    if (first === 'multi' && second === 'multi') return same('matrix[uni, multi] col indexing');
    if (second === 'min_max') return ends((end) => `matrix[..., min_max] ${end} column indexing`);
    return same(`matrix[..., ${second}] column indexing`);
  }
  if (first === 'uni' && second === 'uni') return same('matrix[uni,uni] row indexing');
  const bothListed = (first === 'uni' || first === 'multi') && (second === 'uni' || second === 'multi');
  if (bothListed) return same('matrix[uni, multi] row indexing');
  return second === 'uni' || second === 'multi' ? vectorRead(first) : rowRead(first);
}

function vectorRead(kind: IndexKind): IndexPlaces {
  return kind === 'min_max' ? ends((end) => `vector[min_max] ${end} indexing`) : same(`vector[${kind}] indexing`);
}

function rowRead(kind: IndexKind): IndexPlaces {
  if (kind === 'uni') return same('matrix[uni] indexing');
  if (kind === 'min_max') return ends((end) => `matrix[min_max] ${end} row indexing`);
  return same(`matrix[${kind}] row indexing`);
}

function ends(place: (end: 'min' | 'max') => string): IndexPlaces {
  return { single: place('min'), low: place('min'), high: place('max') };
}

function assignPlace(element: 'array' | 'vector' | 'matrix', kinds: readonly IndexKind[], axis: number): IndexPlaces {
  const [first, second] = kinds;
  if (element === 'array') return same(first === 'uni' ? 'array[uni,...] assign' : 'array[multi, ...] assign');
  if (element === 'vector') return vectorAssign(first);
  if (second === undefined) return rowAssign(first);
  const line = axis === 0 ? 'row' : 'column';
  if (first === 'min_max' && second === 'min_max') {
    return ends((end) => `matrix[min_max, min_max] assign ${end} ${line}`);
  }
  if (first === 'uni' && second === 'uni') return same(`matrix[uni,uni] assign ${line}`);
  if (first === 'uni' && second === 'multi') return same(`matrix[uni, multi] assign ${line}`);
  if (first === 'multi' && second === 'multi') return same(`matrix[multi,multi] assign ${line}`);
  if (axis === 1) {
    if (second === 'min_max') return ends((end) => `matrix[..., min_max] assign ${end} column`);
    return same(second === 'max' ? 'matrix[..., max] assign' : `matrix[..., ${second}] assign column`);
  }
  return second === 'uni' || second === 'multi' ? vectorAssign(first) : rowAssign(first);
}

function vectorAssign(kind: IndexKind): IndexPlaces {
  return kind === 'min_max' ? ends((end) => `vector[min_max] ${end} assign`) : same(`vector[${kind}] assign`);
}

function rowAssign(kind: IndexKind): IndexPlaces {
  return kind === 'min_max' ? ends((end) => `matrix[min_max] ${end} row indexing`) : same(`matrix[${kind}] assign row`);
}

/** The beginning of a message about different sizes, and its term for the right side. */
export interface SizePlace {
  readonly place: string;
  readonly right: string;
}

/** The same for axis `axis` of the right side of an assignment to the part that `kinds` select. */
export function sizePlace(
  element: 'array' | 'vector' | 'matrix',
  kinds: readonly IndexKind[],
  axis: 'row' | 'column' | 'length',
): SizePlace {
  const [first, second] = kinds;
  if (element === 'array') return { place: 'array[multi, ...] assign', right: 'right hand side size' };
  if (element === 'vector') return { place: `vector[${first}] assign`, right: 'right hand side' };
  if (second === undefined) {
    if (first === 'uni') return { place: 'matrix[uni] assign columns', right: 'right hand side size' };
    return { place: `matrix[${first}] assign ${axis}s`, right: `right hand side ${axis}s` };
  }
  if (first === 'min_max' && second === 'min_max') {
    return { place: `matrix[min_max, min_max] assign ${axis}s`, right: `right hand side ${axis}s` };
  }
  if (first === 'multi' && second === 'multi') {
    return { place: `matrix[multi,multi] assign ${axis}s`, right: `right hand side ${axis}s` };
  }
  if (first === 'uni' && second === 'multi') return { place: 'matrix[uni, multi] assign', right: 'right hand side' };
  if (second === 'uni') return { place: `vector[${first}] assign`, right: 'right hand side' };
  if (first === 'uni') return { place: 'matrix[uni] assign columns', right: 'right hand side size' };
  if (axis === 'row') return { place: `matrix[${first}] assign rows`, right: 'right hand side rows' };
  if (second === 'multi') return { place: 'matrix[..., multi] assign column sizes', right: 'right hand side columns' };
  if (second === 'min_max') return { place: 'matrix[..., min_max] assign column size', right: 'right hand side' };
  if (second === 'omni') return { place: `matrix[${first}] assign columns`, right: 'right hand side columns' };
  return { place: `matrix[..., ${second}] assign columns`, right: 'right hand side columns' };
}
