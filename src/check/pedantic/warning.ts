import type { Span } from '../../source/span.js';

export interface Warning {
  readonly span: Span;
  readonly message: string;
}
