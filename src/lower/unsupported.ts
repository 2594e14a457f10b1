import { type Diagnostic, errorAt } from '../source/diagnostic.js';
import type { Span } from '../source/span.js';

/** Ends the lowering of a valid Stan program that uses a feature which is not supported yet. */
export class Unsupported extends Error {
  readonly diagnostic: Diagnostic;

  constructor(span: Span, message: string) {
    super(message);
    this.diagnostic = errorAt('unsupported', span, { code: 'unsupported', text: message });
  }
}

export function unsupported(span: Span, what: string): never {
  throw new Unsupported(span, `${what} not supported yet.`);
}

/** Ends the lowering of a program that Stan's compiler accepts but whose C++ code does not compile. */
export function meaningless(span: Span, message: string): never {
  throw new Unsupported(span, message);
}
