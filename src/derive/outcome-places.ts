/**
 * Determines the elements of a data variable that form an outcome, by applying the same selection to a container with
 * the index of each element.
 */
import type { TypedExpression } from '../check/typed.js';
import { spanText } from '../source/span.js';
import { isContainer, textOf } from './elements.js';

/** Functions that only select elements of their first argument, or change the type of the container. */
const SELECTIONS =
  /^(?:segment|head|tail|col|row|sub_col|sub_row|block|diagonal|to_vector|to_row_vector|to_array_1d|reverse)$/;

/** The variable whose elements an expression selects; undefined if it computes other values. */
export function outcomeVariable(node: TypedExpression): string | undefined {
  switch (node.kind) {
    case 'variable':
      return node.name;
    case 'parenthesis':
      return outcomeVariable(node.inner);
    case 'transpose':
      return outcomeVariable(node.operand);
    case 'indexed':
      return outcomeVariable(node.container);
    case 'call': {
      const [first] = node.arguments;
      const isSelection = node.callee.kind === 'library' && SELECTIONS.test(node.function.name);
      return isSelection && first !== undefined ? outcomeVariable(first) : undefined;
    }
    default:
      return undefined;
  }
}

/** The expression with its variable replaced by another container. */
export function placesText(node: TypedExpression, container: string): string {
  switch (node.kind) {
    case 'variable':
      return container;
    case 'parenthesis':
      return `(${placesText(node.inner, container)})`;
    case 'transpose':
      return `${placesText(node.operand, container)}'`;
    case 'indexed':
      return `${placesText(node.container, container)}[${node.indices.map(({ span }) => spanText(span)).join(', ')}]`;
    case 'call': {
      const [first, ...others] = node.arguments;
      return first === undefined
        ? textOf(node)
        : `${node.function.name}(${[placesText(first, container), ...others.map(textOf)].join(', ')})`;
    }
    default:
      return textOf(node);
  }
}

/** Whether an expression is one element or row of its variable, by single indexes only. */
export function isElement(node: TypedExpression): boolean {
  if (node.kind === 'parenthesis') return isElement(node.inner);
  if (node.kind === 'variable') return true;
  return (
    node.kind === 'indexed' &&
    isElement(node.container) &&
    node.indices.every((index) => index.kind === 'single' && index.index.type.kind === 'int')
  );
}

/**
 * The single element from which an integer outcome is computed, such as `y[n]` for `y[n] == 0`; undefined if the
 * outcome depends on other variables or on a container.
 */
export function elementComparedIn(node: TypedExpression): TypedExpression | undefined {
  const found: TypedExpression[] = [];
  const isSimple = (part: TypedExpression): boolean => {
    switch (part.kind) {
      case 'int':
      case 'real':
        return true;
      case 'parenthesis':
        return isSimple(part.inner);
      case 'prefix':
        return isSimple(part.operand);
      case 'binary':
        return isSimple(part.left) && isSimple(part.right);
      case 'variable':
      case 'indexed':
        found.push(part);
        return isElement(part) && !isContainer(part.type);
      default:
        return false;
    }
  };
  const isInt = node.type.kind === 'int';
  return isInt && isSimple(node) && new Set(found.map(textOf)).size === 1 ? found[0] : undefined;
}
