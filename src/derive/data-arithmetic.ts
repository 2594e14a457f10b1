/** Evaluates arithmetic expressions of data, so that sizes and bounds are available without compiling the program. */
import type { Expression } from '../syntax/ast.js';

/** The numbers in a data variable with at most one dimension; undefined if it is unknown or has more dimensions. */
export type Values = (name: string) => number | readonly number[] | undefined;

/** The value of an expression of data; undefined if it contains more than arithmetic. */
export function evaluate(expression: Expression, values: Values): number | undefined {
  switch (expression.kind) {
    case 'int':
    case 'real':
      return Number(expression.text);
    case 'variable': {
      const value = values(expression.name);
      return typeof value === 'number' ? value : undefined;
    }
    case 'parenthesis':
      return evaluate(expression.inner, values);
    case 'prefix': {
      const operand = evaluate(expression.operand, values);
      return operand === undefined || expression.operator === '!'
        ? undefined
        : Number(`${expression.operator}1`) * operand;
    }
    case 'binary': {
      const [left, right] = [evaluate(expression.left, values), evaluate(expression.right, values)];
      if (left === undefined || right === undefined) return undefined;
      return ARITHMETIC[expression.operator]?.(left, right);
    }
    case 'call': {
      const containers = expression.arguments.map((argument) => numbersOf(argument, values) ?? []);
      return CALLS[expression.function.name]?.(containers);
    }
    case 'indexed': {
      const [index] = expression.indices;
      const container = numbersOf(expression.container, values);
      const at = index.kind === 'single' ? evaluate(index.index, values) : undefined;
      return at === undefined || expression.indices.length > 1 ? undefined : container?.[at - 1];
    }
    default:
      return undefined;
  }
}

/** The numbers of a one-dimensional container; a scalar counts as one number. */
function numbersOf(expression: Expression, values: Values): readonly number[] | undefined {
  const value = expression.kind === 'variable' ? values(expression.name) : evaluate(expression, values);
  return typeof value === 'number' ? [value] : value;
}

const ARITHMETIC: Readonly<Record<string, (left: number, right: number) => number | undefined>> = {
  '+': (left, right) => left + right,
  '-': (left, right) => left - right,
  '*': (left, right) => left * right,
  // Types are unknown here, and integer division truncates.
  '/': (left, right) =>
    Number.isInteger(left) && Number.isInteger(right) && !Number.isInteger(left / right) ? undefined : left / right,
  '%/%': (left, right) => Math.trunc(left / right),
  '%': (left, right) => left % right,
  '^': (left, right) => left ** right,
};

const CALLS: Readonly<Record<string, (values: readonly (readonly number[])[]) => number | undefined>> = {
  size: ([of]) => of?.length,
  num_elements: ([of]) => of?.length,
  sum: ([of = []]) => of.reduce((total, value) => total + value, 0),
  max: (values) => Math.max(...values.flat()),
  min: (values) => Math.min(...values.flat()),
};
