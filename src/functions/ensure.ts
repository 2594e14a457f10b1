import type { Builder } from '../ir/builder.js';
import type { Expr, Failure } from '../ir/nodes.js';

/**
 * A part of a message: text, a value formatted as by C++ streams, or a value with a format: `f` for six decimals (`std::to_string`), `10`
 * for ten significant digits.
 */
export type MessagePart = string | Expr | { readonly value: Expr; readonly format: 'f' | '10' };

/** Stops with the message unless the condition holds. */
export function ensure(
  builder: Builder,
  condition: Expr,
  message: readonly MessagePart[],
  kind: Failure['kind'] = 'rejection',
): void {
  const values: Expr[] = [];
  const text = message.map((part) => {
    if (typeof part === 'string') return part;
    const format = 'format' in part ? `:${part.format}` : '';
    values.push('format' in part ? part.value : part);
    return `{${values.length - 1}${format}}`;
  });
  builder.check(condition, text.join(''), values, kind);
}
