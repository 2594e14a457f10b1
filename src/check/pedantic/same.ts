import { sameType } from '../../language/types.js';
import type { Span } from '../../source/span.js';
import { partsOf, type Term } from './outline.js';

/** Whether two terms are equal: at the same location of the source, or anywhere. */
export function sameTerm(a: Term, b: Term, where: 'in the same place' | 'anywhere'): boolean {
  if (where === 'in the same place' && !sameSpan(a.span, b.span)) return false;
  if (!sameHead(a, b)) return false;
  const parts = partsOf(a);
  const others = partsOf(b);
  return parts.length === others.length && parts.every((part, i) => sameTerm(part, others[i], where));
}

/** Whether two terms are at the same location of the source, or both at none. */
export function sameSpan(a: Span | undefined, b: Span | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return (
    a === b || (a.begin.file === b.begin.file && a.begin.offset === b.begin.offset && a.end.offset === b.end.offset)
  );
}

function sameHead(a: Term, b: Term): boolean {
  switch (a.kind) {
    case 'name':
      return b.kind === 'name' && a.name === b.name;
    case 'int':
    case 'real':
    case 'imaginary':
      return b.kind === a.kind && a.text === b.text;
    case 'call':
      return b.kind === 'call' && a.callee.kind === b.callee.kind && a.callee.name === b.callee.name;
    case 'slot':
      return b.kind === 'slot' && a.slot === b.slot;
    case 'promoted':
      return b.kind === 'promoted' && sameType(a.type, b.type);
    default:
      return a.kind === b.kind;
  }
}
