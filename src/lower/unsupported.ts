import { type Diagnostic, errorAt } from '../source/diagnostic.js';
import type { Span } from '../source/span.js';

/** Ends the lowering of a program that is right Stan but needs what is not compiled yet. */
export class Unsupported extends Error {
  readonly diagnostic: Diagnostic;

  constructor(span: Span, what: string) {
    super(what);
    this.diagnostic = errorAt('unsupported', span, `${what} not supported yet.`);
  }
}

export function unsupported(span: Span, what: string): never {
  throw new Unsupported(span, what);
}
