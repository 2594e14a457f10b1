import type { Constraint } from './ast.js';
import { parseBound } from './expressions.js';
import { illFormed, type Tokens } from './tokens.js';

const PLAIN = '(not containing binary logical operators)';

function expected(what: string): string {
  return illFormed('constraint', `Expected ${what}`);
}

const MESSAGES = {
  start: expected('"lower =", "upper =", "offset =" or "multiplier =" followed by an expression after "<".'),
  startOfInt: illFormed('type', 'Expected "lower = " expression or "upper = " expression for integer bounds.'),
  lowerEquals: expected(`"=" expression\n${PLAIN} after "lower".`),
  lower: expected(`an expression ${PLAIN}\nafter "lower =".`),
  upperEquals: expected('"=" expression ">" after seeing "upper".'),
  upper: expected(`an expression ${PLAIN}\nafter "upper =".`),
  upperNext: expected(
    `"upper =" expression ${PLAIN} ">"\nafter "<lower =" expression "," in top-level variable declaration.`,
  ),
  lowerNext: expected(
    `"lower =" expression ${PLAIN} ">"\nafter "<upper =" expression "," in top-level variable declaration.`,
  ),
  upperNextEquals: expected(`"=" expression\n${PLAIN} after "upper".`),
  upperEnd: expected('">" after "upper = " expression.'),
  lowerEnd: expected('">" after "lower = " expression.'),
  offset: expected(`"offset = " expression ${PLAIN}.`),
  afterOffset: expected(`">" or ", multiplier = " expression\n${PLAIN} ">" after "offset = " expression.`),
  multiplierNext: expected(`"multiplier = " expression ${PLAIN}.`),
  multiplierEnd: expected('">" after "multiplier = " expression.'),
  multiplierEquals: expected(`"=" expression\n${PLAIN} ">" after "multiplier".`),
  multiplier: expected(`and expression ${PLAIN}\nafter "multiplier =".`),
  afterMultiplier: expected(`">" or ", offset = " expression\n${PLAIN} ">" after "multiplier = " expression.`),
  offsetNextEquals: expected(`"=" expression\n${PLAIN} after "offset".`),
  offsetNext: expected(`an expression ${PLAIN}\nafter "offset =".`),
  offsetEnd: expected('">" after "offset = " expression.'),
} as const;

/** `<lower=…, upper=…>` or `<offset=…, multiplier=…>`, in either order, or one of the two. An int may only have bounds. */
export function parseConstraint(tokens: Tokens, isInt: boolean): Constraint {
  tokens.take();
  const { kind } = tokens.next;
  if (kind === 'lower') return parseLowerFirst(tokens);
  if (kind === 'upper') return parseUpperFirst(tokens);
  if (kind === 'offset' && !isInt) return parseOffsetFirst(tokens);
  if (kind === 'multiplier' && !isInt) return parseMultiplierFirst(tokens);
  return tokens.fail(isInt ? MESSAGES.startOfInt : MESSAGES.start);
}

function parseLowerFirst(tokens: Tokens): Constraint {
  tokens.take();
  tokens.expect('=', MESSAGES.lowerEquals);
  const lower = parseBound(tokens, MESSAGES.lower);
  if (tokens.takeIf('>')) return { kind: 'lower', lower };
  tokens.expect(',', MESSAGES.lower);
  tokens.expect('upper', MESSAGES.upperNext);
  tokens.expect('=', MESSAGES.upperNextEquals);
  const upper = parseBound(tokens, MESSAGES.upper);
  tokens.expect('>', MESSAGES.upperEnd);
  return { kind: 'lower_upper', lower, upper };
}

function parseUpperFirst(tokens: Tokens): Constraint {
  tokens.take();
  tokens.expect('=', MESSAGES.upperEquals);
  const upper = parseBound(tokens, MESSAGES.upper);
  if (tokens.takeIf('>')) return { kind: 'upper', upper };
  tokens.expect(',', MESSAGES.upperEnd);
  tokens.expect('lower', MESSAGES.lowerNext);
  tokens.expect('=', MESSAGES.lowerEquals);
  const lower = parseBound(tokens, MESSAGES.lower);
  tokens.expect('>', MESSAGES.lowerEnd);
  return { kind: 'lower_upper', lower, upper };
}

function parseOffsetFirst(tokens: Tokens): Constraint {
  tokens.take();
  tokens.expect('=', MESSAGES.offset);
  const offset = parseBound(tokens, MESSAGES.offset);
  if (tokens.takeIf('>')) return { kind: 'offset', offset };
  tokens.expect(',', MESSAGES.afterOffset);
  tokens.expect('multiplier', MESSAGES.afterOffset);
  tokens.expect('=', MESSAGES.multiplierNext);
  const multiplier = parseBound(tokens, MESSAGES.multiplierNext);
  tokens.expect('>', MESSAGES.multiplierEnd);
  return { kind: 'offset_multiplier', offset, multiplier };
}

function parseMultiplierFirst(tokens: Tokens): Constraint {
  tokens.take();
  tokens.expect('=', MESSAGES.multiplierEquals);
  const multiplier = parseBound(tokens, MESSAGES.multiplier);
  if (tokens.takeIf('>')) return { kind: 'multiplier', multiplier };
  tokens.expect(',', MESSAGES.afterMultiplier);
  tokens.expect('offset', MESSAGES.afterMultiplier);
  tokens.expect('=', MESSAGES.offsetNextEquals);
  const offset = parseBound(tokens, MESSAGES.offsetNext);
  tokens.expect('>', MESSAGES.offsetEnd);
  return { kind: 'offset_multiplier', offset, multiplier };
}
