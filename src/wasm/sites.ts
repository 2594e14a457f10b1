import type { Expr, Failure, PrintPart, Ref, StatementOf } from '../ir/nodes.js';
import type { Position } from '../source/span.js';
import type { Location, Site, SitePart, Stretch } from './artifact.js';

/** Statements that call the host. */
export type Reporting = StatementOf<'check' | 'print' | 'reject'>;

/** The values that the site's parts show, in the order of the value area. */
export function siteValues(statement: Reporting): readonly (Expr | Ref)[] {
  if (statement.kind === 'check') return statement.values;
  return statement.parts.flatMap((part): (Expr | Ref)[] => {
    if (part.kind === 'text') return [];
    return [part.kind === 'scalar' ? part.value : part.ref];
  });
}

/** The number of slots that they occupy in the value area: a container occupies one for its address and one per size. */
export function slotCount(values: readonly (Expr | Ref)[]): number {
  return values.reduce((count, value) => count + (value.kind === 'ref' ? 1 + value.rank : 1), 0);
}

export function siteOf(statement: Reporting): Site {
  switch (statement.kind) {
    case 'check':
      return failureSite(statement);
    case 'print':
      return printSite(statement);
    case 'reject':
      return rejectSite(statement);
  }
}

function failureSite({ failure, values }: StatementOf<'check'>): Site {
  return {
    kind: failure.kind,
    parts: templateParts(failure.template, values),
    ...orderOf(failure),
    ...placeOf(failure),
  };
}

function printSite({ parts, profile, once }: StatementOf<'print'>): Site {
  const place = { begin: null, end: null };
  if (profile !== undefined) return { kind: 'profile', parts: [], profile, ...place };
  return { kind: 'print', parts: siteParts(parts), ...(once === undefined ? {} : { once }), ...place };
}

function rejectSite(statement: StatementOf<'reject'>): Site {
  const { parts, fatal } = statement;
  return { kind: fatal ? 'error' : 'rejection', parts: siteParts(parts), ...orderOf(statement), ...placeOf(statement) };
}

function orderOf({ isReordered = false }: Pick<Failure, 'isReordered'>): Pick<Site, 'isReordered'> {
  return isReordered ? { isReordered } : {};
}

/** The site of an allocation; undefined if the program has no location for it. */
export function allocationSite({ span = null, callers }: StatementOf<'allocate'>): Site | undefined {
  return span === null ? undefined : { kind: 'allocation', parts: [], ...placeOf({ span, callers }) };
}

export function callSite(statement: StatementOf<'call'>): Site {
  return { kind: 'call', parts: [], ...placeOf({ ...statement, span: statement.span ?? null }) };
}

function placeOf({ span, callers = [] }: Pick<Failure, 'span' | 'callers'>): Stretch & Pick<Site, 'callers'> {
  const around = callers.length === 0 ? {} : { callers: callers.map(stretchOf) };
  return { ...stretchOf(span), ...around };
}

export function stretchOf(span: Failure['span']): Stretch {
  return span === null ? { begin: null, end: null } : { begin: locationOf(span.begin), end: locationOf(span.end) };
}

function locationOf({ file, line, column }: Position): Location {
  return {
    file: file.name,
    line,
    column,
    includedFrom: file.includedFrom === undefined ? null : locationOf(file.includedFrom),
  };
}

function templateParts(template: string, values: readonly Expr[]): SitePart[] {
  return piecesOf(template).map((piece): SitePart => {
    if (piece.kind === 'text') return piece;
    const { value } = piece;
    if (value >= values.length) throw new Error(`no value {${value}} in ${template}`);
    if (piece.kind === 'range') return piece;
    const { kind, fixed, precision } = piece;
    const { type } = values[value];
    return { kind, type, value, fixed, ...(precision === undefined ? {} : { precision }) };
  });
}

type Piece = Extract<SitePart, { kind: 'text' | 'range' }> | Omit<Extract<SitePart, { kind: 'scalar' }>, 'type'>;

/** Parsed templates; the function table has about a hundred. */
const pieces = new Map<string, readonly Piece[]>();

function piecesOf(template: string): readonly Piece[] {
  let known = pieces.get(template);
  if (known === undefined) {
    known = split(template);
    pieces.set(template, known);
  }
  return known;
}

function split(template: string): readonly Piece[] {
  return template.split(/(\{\d+(?::(?:f|range|\d+))?\})/).flatMap((piece): Piece[] => {
    if (piece === '') return [];
    const match = /^\{(\d+)(?::(f|range|\d+))?\}$/.exec(piece);
    if (match === null) return [{ kind: 'text', text: piece }];
    const format: string | undefined = match[2];
    if (format === 'range') return [{ kind: 'range', value: Number(match[1]) }];
    const fixed = format === 'f';
    const precision = format === undefined || fixed ? {} : { precision: Number(format) };
    return [{ kind: 'scalar', value: Number(match[1]), fixed, ...precision }];
  });
}

function siteParts(parts: readonly PrintPart[]): SitePart[] {
  let value = 0;
  return parts.map((part): SitePart => {
    if (part.kind === 'text') return { kind: 'text', text: part.text };
    const first = value;
    if (part.kind === 'scalar') {
      value += 1;
      return { kind: 'scalar', type: part.value.type, value: first, fixed: false };
    }
    value += 1 + part.ref.rank;
    const within = part.within === undefined ? {} : { within: part.within };
    const aligned = part.aligned === undefined ? {} : { aligned: part.aligned };
    return {
      kind: 'container',
      type: part.ref.element,
      value: first,
      rank: part.ref.rank,
      element: part.element,
      ...within,
      ...aligned,
    };
  });
}
