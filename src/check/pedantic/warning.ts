import type { Message } from '../../source/diagnostic.js';
import type { Span } from '../../source/span.js';

export interface Warning {
  readonly span: Span;
  readonly message: Message;
}
