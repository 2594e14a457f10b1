/** Writes one element of an expression so that only this element is computed: `a + b * x[n]` for `(a + b * x)[n]`. */
import type { TypedExpression } from '../check/typed.js';
import type { FunctionSignatures } from '../language/overloads.js';
import type { Type } from '../language/types.js';
import { spanText } from '../source/span.js';

/** Functions that change only the type of a container. */
const SAME_ELEMENTS = /^(?:to_vector|to_row_vector|to_array_1d)$/;
const REPEATED = /^(?:rep_vector|rep_row_vector|rep_array)$/;

/**
 * The element at `index` of an expression's outermost dimension; undefined if it cannot be computed separately. Supports arithmetic, elementwise
 * functions, and products of a matrix and a vector.
 */
export function elementOf(node: TypedExpression, index: string, functions: FunctionSignatures): string | undefined {
  const element = (part: TypedExpression) => elementOf(part, index, functions);
  switch (node.kind) {
    case 'variable':
      return `${node.name}[${index}]`;
    case 'parenthesis':
      return inParentheses(element(node.inner));
    case 'transpose':
      return isList(node.operand.type) ? element(node.operand) : undefined;
    case 'prefix':
      return joined(node.operator, element(node.operand));
    case 'binary': {
      if (node.operator === '*' && node.left.type.kind === 'matrix') {
        return joined(rowOf(node.left, index), ' * ', textOf(node.right));
      }
      const isProduct = isContainer(node.left.type) && isContainer(node.right.type) && /^[*/\\]$/.test(node.operator);
      if (isProduct) return undefined;
      const [left, right] = [node.left, node.right].map((part) =>
        isContainer(part.type) ? element(part) : textOf(part),
      );
      return joined(left, ` ${node.operator} `, right);
    }
    case 'conditional':
      return inParentheses(
        joined(textOf(node.condition), ' ? ', element(node.consequence), ' : ', element(node.alternative)),
      );
    case 'indexed':
      return elementOfIndexed(node, index, functions);
    case 'call': {
      const { name } = node.function;
      const [first] = node.arguments;
      if (node.callee.kind !== 'library' || first === undefined) return undefined;
      if (SAME_ELEMENTS.test(name) && isList(first.type)) return inParentheses(element(first), first);
      if (REPEATED.test(name) && node.arguments.length === 2) return inParentheses(textOf(first), first);
      if (!isElementwise(name, node.arguments.length, functions)) return undefined;
      const parts = node.arguments.map((part) => (isContainer(part.type) ? element(part) : textOf(part)));
      return parts.includes(undefined) ? undefined : `${name}(${parts.join(', ')})`;
    }
    default:
      return undefined;
  }
}

type Indexed = Extract<TypedExpression, { readonly kind: 'indexed' }>;

function elementOfIndexed(node: Indexed, index: string, functions: FunctionSignatures): string | undefined {
  const [first, ...others] = node.indices;
  if (others.length === 0 && first?.kind === 'single' && isContainer(first.index.type)) {
    const chosen = elementOf(first.index, index, functions);
    return chosen && `${textOf(node.container)}[${chosen}]`;
  }
  if (first?.kind === 'all' && others.every((other) => other.kind === 'single' && !isContainer(other.index.type))) {
    return `${textOf(node.container)}[${[index, ...others.map(({ span }) => spanText(span))].join(', ')}]`;
  }
  return node.indices.every((each) => each.kind === 'single' && !isContainer(each.index.type))
    ? `${textOf(node)}[${index}]`
    : undefined;
}

/** A row of a matrix. */
export function rowOf(node: TypedExpression, index: string): string | undefined {
  if (node.kind === 'variable') return `${node.name}[${index}]`;
  if (node.kind === 'parenthesis') return inParentheses(rowOf(node.inner, index));
  const isProduct = node.kind === 'binary' && node.operator === '*' && node.left.type.kind === 'matrix';
  return isProduct ? joined(rowOf(node.left, index), ' * ', textOf(node.right)) : undefined;
}

/** Whether a function of scalars applies elementwise to containers. */
function isElementwise(name: string, count: number, functions: FunctionSignatures): boolean {
  return functions
    .lookup(name)
    .some(({ parameters, result }) => parameters.length === count && [...parameters, { type: result }].every(isScalar));
}

function isScalar({ type }: { readonly type: Type }): boolean {
  return type.kind === 'int' || type.kind === 'real';
}

/** Whether a value of the type has elements. */
export function isContainer(type: Type): boolean {
  return !isScalar({ type });
}

function isList(type: Type): boolean {
  return (
    type.kind === 'vector' || type.kind === 'row_vector' || (type.kind === 'array' && isScalar({ type: type.element }))
  );
}

/** The source text of an expression. */
export function textOf(node: TypedExpression): string {
  return spanText(node.span);
}

function joined(...parts: readonly (string | undefined)[]): string | undefined {
  return parts.includes(undefined) ? undefined : parts.join('');
}

/** The text, in parentheses if the expression requires them. */
function inParentheses(text: string | undefined, node?: TypedExpression): string | undefined {
  const needsNone =
    node !== undefined && ['variable', 'int', 'real', 'call', 'indexed', 'parenthesis'].includes(node.kind);
  return text === undefined || needsNone ? text : `(${text})`;
}
