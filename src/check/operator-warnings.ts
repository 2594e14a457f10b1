import { isRealScalar } from '../language/promotion.js';
import type { Type } from '../language/types.js';
import type { BinaryShape, Expression, Untyped } from '../syntax/ast.js';
import type { Environment } from './environment.js';
import { showExpression as show } from './show.js';

const COMPARISONS: ReadonlySet<string> = new Set(['==', '!=', '<', '<=', '>', '>=']);

/** Warns about operators whose meaning differs from common expectations. */
export function warnOfOperator(environment: Environment, node: BinaryShape<Untyped>, left: Type, right: Type): void {
  const { operator } = node;
  if (operator === '/' && left.kind === 'int' && right.kind === 'int') {
    environment.warn(node.left.span, { code: 'int-division', text: intDivision(node) });
  } else if (operator === '^' && isMatrices(left) && isRealScalar(right)) {
    environment.warn(node.left.span, { code: 'matrix-power', text: matrixPower(node) });
  } else if (COMPARISONS.has(operator) && node.left.kind === 'binary' && COMPARISONS.has(node.left.operator)) {
    environment.warn(node.span, { code: 'chained-comparison', text: chainedComparison(node, node.left) });
  }
}

function isMatrices(type: Type): boolean {
  return type.kind === 'matrix' || (type.kind === 'array' && type.element.kind === 'matrix');
}

function intDivision(node: BinaryShape<Untyped>): string {
  return [
    'Found int division:',
    `    ${show(node)}`,
    'Values will be rounded towards zero. If rounding is not desired you can write the division as',
    `    ${realDivision(node.left, node.right)}`,
    'If rounding is intended please use the integer division operator %/%.',
  ].join('\n');
}

function realDivision(left: Expression, right: Expression): string {
  if (left.kind === 'int') return `${left.text}.0 / ${show(right)}`;
  return right.kind === 'int' ? `${show(left)} / ${right.text}.0` : `${show(left)} * 1.0 / ${show(right)}`;
}

function matrixPower(node: BinaryShape<Untyped>): string {
  return [
    'Found matrix^scalar:',
    `    ${show(node)}`,
    'matrix ^ number is interpreted as element-wise exponentiation. If this is intended, you can silence this warning by using elementwise operator .^',
    'If you intended matrix exponentiation, use',
    `    matrix_power(${show(node.left)}, ${show(node.right)})`,
    'instead.',
  ].join('\n');
}

function chainedComparison(node: BinaryShape<Untyped>, inner: BinaryShape<Untyped>): string {
  return [
    'Found chained comparison',
    `    ${show(node)}`,
    'This is interpreted as',
    `    (${show(inner)}) ${node.operator} ${show(node.right)}`,
    'Consider if the intended meaning was',
    `    ${show(inner)} && ${show(inner.right)} ${node.operator} ${show(node.right)}`,
    'instead. You can silence this warning by adding explicit parentheses. This can be automatically changed using the canonicalize flag for stanc',
  ].join('\n');
}
