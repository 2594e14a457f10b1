import type { Span } from './span.js';

/** The stage that found the error. `unsupported`: the program is valid Stan, but not yet compiled here. */
export type DiagnosticKind = 'lexing' | 'syntax' | 'semantic' | 'include' | 'unsupported';

type Severity = 'error' | 'warning';

/** A message about a program: text, location, and possibly a replacement. */
export interface Diagnostic {
  readonly kind: DiagnosticKind;
  readonly severity: Severity;
  /** One or more lines, without the location. */
  readonly message: string;
  readonly span: Span;
  readonly hint?: string;
}

/** An error at a location of a program. */
export function errorAt(kind: DiagnosticKind, span: Span, message: string, hint?: string): Diagnostic {
  return { kind, severity: 'error', message, span, ...(hint === undefined ? {} : { hint }) };
}

/** A warning at a location of a program. */
export function warningAt(span: Span, message: string): Diagnostic {
  return { kind: 'semantic', severity: 'warning', message, span };
}
