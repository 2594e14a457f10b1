import type { Builder } from '../../ir/builder.js';
import { abs, compare, int, real, sub } from '../../ir/expressions.js';
import type { Expr } from '../../ir/nodes.js';
import { ensure, type MessagePart } from '../ensure.js';
import { type Subject, TOLERANCE } from './constraint.js';

/** The start of a check's message: the function whose argument is checked. */
export function callerText({ function: name }: Subject): string {
  return name === undefined ? '' : `${name}: `;
}

/** A message about the subject: `p is not symmetric.` */
export function say(subject: Subject, ...words: readonly MessagePart[]): MessagePart[] {
  return [callerText(subject), ...subject.name, ...words];
}

export function checkNotEmpty(builder: Builder, count: Expr, subject: Subject): void {
  const words = say(subject, ' has size 0, but must have a non-zero size');
  ensure(builder, compare('gt', count, int(0)), words, 'error');
}

/** Stops with an error unless `total` has the required value: `p is not a valid simplex. sum(p) = 1.25, but should be 1`. */
export function checkSum(
  builder: Builder,
  total: Expr,
  expected: number,
  subject: Subject,
  what: string,
  place: readonly MessagePart[] = [],
): void {
  const value: MessagePart = { value: total, format: '10' };
  ensure(
    builder,
    compare('le', abs(sub(real(expected), total)), real(TOLERANCE)),
    say(subject, ` ${what} sum(`, ...subject.name, ...place, ') = ', value, `, but should be ${expected}`),
  );
}

export function checkSquare(builder: Builder, [rows, columns]: readonly Expr[], subject: Subject): void {
  if (rows === columns) return;
  const words = [' (', rows, ') and columns of ', ...subject.name, ' (', columns, ') must match in size'];
  ensure(
    builder,
    compare('eq', rows, columns),
    [`${callerText(subject)}Expecting a square matrix; rows of `, ...subject.name, ...words],
    'error',
  );
}
