import type { Span } from './span.js';

/** What found the fault. `unsupported`: the program is right Stan, but not yet compiled here. */
export type DiagnosticKind = 'lexing' | 'syntax' | 'semantic' | 'include' | 'unsupported';

type Severity = 'error' | 'warning';

/** A message about a program: text, location, and possibly a replacement. */
export interface Diagnostic {
  readonly kind: DiagnosticKind;
  readonly severity: Severity;
  /** One or several lines, without the place. */
  readonly message: string;
  readonly span: Span;
  readonly hint?: string;
}

/** An error of a program at a place. */
export function errorAt(kind: DiagnosticKind, span: Span, message: string, hint?: string): Diagnostic {
  return { kind, severity: 'error', message, span, ...(hint === undefined ? {} : { hint }) };
}

/** A warning about a program at a place. */
export function warningAt(span: Span, message: string): Diagnostic {
  return { kind: 'semantic', severity: 'warning', message, span };
}
