import type { Span } from './span.js';

/** The stage that found the error. `unsupported`: the program is valid Stan, but not yet compiled here. */
export type DiagnosticKind = 'lexing' | 'syntax' | 'semantic' | 'include' | 'unsupported';

type Severity = 'error' | 'warning';

/** The text of a diagnostic, and what it is about. */
export interface Message {
  /** Names the error independently of its text, which may change. docs/diagnostics.md lists all codes. */
  readonly code: string;
  /** One or more lines, without the location. */
  readonly text: string;
  /** What the user probably meant instead of the text at the location. */
  readonly suggestion?: string;
}

/** A function that writes messages with a code. `suggest` returns what the user probably meant, if known. */
export function message<Values extends readonly unknown[]>(
  code: string,
  write: (...values: Values) => string,
  suggest: (...values: Values) => string | undefined = () => undefined,
): (...values: Values) => Message {
  return (...values) => {
    const suggestion = suggest(...values);
    return { code, text: write(...values), ...(suggestion !== undefined && { suggestion }) };
  };
}

/** A message about a program, its location, and possibly a replacement. */
export interface Diagnostic {
  readonly kind: DiagnosticKind;
  readonly severity: Severity;
  readonly code: string;
  readonly message: string;
  readonly span: Span;
  readonly suggestion?: string;
  readonly hint?: string;
}

/** An error at a location of a program. */
export function errorAt(kind: DiagnosticKind, span: Span, { text, ...rest }: Message, hint?: string): Diagnostic {
  return { kind, severity: 'error', message: text, span, ...rest, ...(hint === undefined ? {} : { hint }) };
}

/** A warning at a location of a program. */
export function warningAt(span: Span, { text, ...rest }: Message): Diagnostic {
  return { kind: 'semantic', severity: 'warning', message: text, span, ...rest };
}
