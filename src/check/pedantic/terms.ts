import { isFunctionType } from '../../language/promotion.js';
import { declaredName } from '../../language/suffixes.js';
import { INT, sameType, type Type, unwindArray } from '../../language/types.js';
import { type Span, spanning } from '../../source/span.js';
import type { Index, Place } from '../../syntax/ast.js';
import type { Typed, Callee as TypedCallee, TypedExpression } from '../typed.js';
import type { Call, Callee, Name, Term } from './outline.js';

/** Converts a typed expression to a term. A promotion becomes a separate node. */
export function toTerm(node: TypedExpression): Term {
  const { promotedTo, span } = node;
  const inner = ownTerm(node);
  return promotedTo === undefined || sameType(node.type, promotedTo)
    ? inner
    : { kind: 'promoted', inner, type: promotedTo, span };
}

function ownTerm(node: TypedExpression): Term {
  const { type, span } = node;
  switch (node.kind) {
    case 'variable':
      return { kind: 'name', name: node.name, type, span };
    case 'int':
    case 'real':
    case 'imaginary':
      return { kind: node.kind, text: withoutLeadingZeros(node.text), type, span };
    case 'targetValue':
      return { ...library('target', [], type), span };
    case 'conditional':
      return {
        kind: 'choice',
        parts: [toTerm(node.condition), toTerm(node.consequence), toTerm(node.alternative)],
        type,
        span,
      };
    case 'binary': {
      const parts = [toTerm(node.left), toTerm(node.right)] as const;
      if (node.operator === '&&') return { kind: 'both', parts, type, span };
      if (node.operator === '||') return { kind: 'either', parts, type, span };
      return { ...library(node.operator, parts, type), span: spanning(node.left.span, node.right.span) };
    }
    case 'prefix':
      return { ...library(`${node.operator}x`, [toTerm(node.operand)], type), span: node.operand.span };
    case 'transpose':
      return { ...library("x'", [toTerm(node.operand)], type), span: node.operand.span };
    case 'call': {
      const callee = toCallee(node.callee, node.function.name, node.dropsConstants);
      const args = node.arguments.map((argument) => {
        const term = toTerm(argument);
        return node.callee.kind === 'higherOrder' && isFunctionType(argument.type) ? { ...term, span } : term;
      });
      return { kind: 'call', callee, arguments: args, type, span };
    }
    case 'indexed':
      return {
        kind: 'indexed',
        container: toTerm(node.container),
        indices: node.indices.flatMap(indexTerms),
        type,
        span,
      };
    case 'slot':
      return { kind: 'slot', tuple: toTerm(node.tuple), slot: node.slot, type, span };
    case 'arrayLiteral':
    case 'rowVectorLiteral':
    case 'tupleLiteral':
      return { ...builtin(node.kind, node.elements.map(toTerm), type), span };
    case 'parenthesis':
      return toTerm(node.inner);
  }
}

/** The target of an assignment as a term for its value before the assignment. */
export function placeTerm(place: Place<Typed>): Term {
  const { type, span } = place;
  switch (place.kind) {
    case 'variable':
      return { kind: 'name', name: place.name, type, span };
    case 'slot':
      return { kind: 'slot', tuple: placeTerm(place.tuple), slot: place.slot, type, span };
    case 'indexed':
      return {
        kind: 'indexed',
        container: placeTerm(place.container),
        indices: place.indices.flatMap(indexTerms),
        type,
        span,
      };
  }
}

function indexTerms(index: Index<Typed>): readonly Term[] {
  switch (index.kind) {
    case 'all':
      return [];
    case 'single':
      return [toTerm(index.index)];
    case 'from':
      return [toTerm(index.lower)];
    case 'to':
      return [toTerm(index.upper)];
    case 'between':
      return [toTerm(index.lower), toTerm(index.upper)];
  }
}

/** The callee of a checked call. */
export function toCallee(callee: TypedCallee, writtenName: string, dropsConstants: boolean): Callee {
  return { kind: callee.kind === 'user' ? 'user' : 'library', name: declaredName(writtenName), dropsConstants };
}

export function library(name: string, parts: readonly Term[], type: Type): Call {
  return { kind: 'call', callee: { kind: 'library', name, dropsConstants: false }, arguments: parts, type };
}

export function builtin(name: string, parts: readonly Term[], type: Type): Call {
  return { kind: 'call', callee: { kind: 'builtin', name, dropsConstants: false }, arguments: parts, type };
}

export function nameTerm(name: string, type: Type, span?: Span): Name {
  return { kind: 'name', name, type, ...(span && { span }) };
}

export const ONE: Term = { kind: 'int', text: '1', type: INT };

/** stanc prints numbers without leading zeros: `007` is 7, `00.5` is 0.5. */
function withoutLeadingZeros(text: string): string {
  return text.replace(/^0+(?=\d)/, '');
}

/** The term `container[index]`; if the container is already indexed, the index is appended. */
export function elementOf(container: Term, index: Term): Term {
  const { element, depth } = unwindArray(container.type);
  const type: Type = depth > 0 && container.type.kind === 'array' ? container.type.element : partOf(element);
  const span = container.span && { span: container.span };
  return container.kind === 'indexed'
    ? { ...container, indices: [...container.indices, index], type }
    : { kind: 'indexed', container, indices: [index], type, ...span };
}

function partOf(type: Type): Type {
  switch (type.kind) {
    case 'matrix':
      return { kind: 'row_vector' };
    case 'complex_matrix':
      return { kind: 'complex_row_vector' };
    case 'vector':
    case 'row_vector':
      return { kind: 'real' };
    case 'complex_vector':
    case 'complex_row_vector':
      return { kind: 'complex' };
    default:
      return type;
  }
}
