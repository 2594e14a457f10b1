/** Source of terms of the likelihood in a program that can leave out observations. */
import type { TypedExpression } from '../check/typed.js';
import { spanText } from '../source/span.js';
import type { LikelihoodTerm } from './likelihood-terms.js';

/** The function that adds a term's density, `normal_lupdf` for a `~` statement: it omits constants if the statement does. */
export function keptDensity({ addend, statement }: LikelihoodTerm, name: string): string {
  const call = addend && withoutParentheses(addend);
  const isUnnormalized = statement.kind === 'tilde' || (call?.kind === 'call' && /_lup[dm]f$/.test(call.function.name));
  return isUnnormalized ? name.replace(/_l(p[dm]f)$/, '_lu$1') : name;
}

function withoutParentheses(node: TypedExpression): TypedExpression {
  return node.kind === 'parenthesis' ? withoutParentheses(node.inner) : node;
}

/** The value without some of its summands, which are replaced by 0; undefined if no other summand remains. */
export function remainderOf(value: TypedExpression, addends: readonly TypedExpression[]): string | undefined {
  let whole = value;
  while (whole.kind === 'parenthesis' && !addends.includes(whole)) whole = whole.inner;
  if (addends.includes(whole)) return undefined;
  const { begin } = value.span;
  let text = spanText(value.span);
  for (const { span } of addends.toSorted((a, b) => b.span.begin.offset - a.span.begin.offset)) {
    text = `${text.slice(0, span.begin.offset - begin.offset)}0${text.slice(span.end.offset - begin.offset)}`;
  }
  return text;
}
