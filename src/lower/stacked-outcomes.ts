/**
 * Outcomes of multivariate distributions whose elements are parameters: `[a[j], b[j]]'` in a loop over `j`, or a local array whose elements
 * a loop sets to such vectors, as programs of the package rethinking do.
 */
import type { Typed, TypedExpression } from '../check/typed.js';
import type { Statement } from '../syntax/ast.js';

type Loop = Extract<Statement<Typed>, { readonly kind: 'for' }>;

export interface StackedOutcome {
  readonly elements: readonly TypedExpression[];
  /** The loop that fills a local array; null if the outcome is a vector. */
  readonly loop: Loop | null;
}

/** The elements of an outcome; `before` are the statements before it, in the order of the text. */
export function stackedOutcome(
  outcome: TypedExpression,
  before: readonly Statement<Typed>[],
): StackedOutcome | undefined {
  const elements = stackedElements(outcome);
  if (elements !== undefined) return { elements, loop: null };
  if (outcome.kind !== 'variable') return undefined;
  const found = before.flatMap((statement): readonly StackedOutcome[] => {
    const assignment = statement.kind === 'for' ? onlyAssignment(statement.body) : undefined;
    if (statement.kind !== 'for' || assignment === undefined || assignment.operator !== '=') return [];
    const { target, value } = assignment;
    if (target.kind !== 'indexed' || target.container.kind !== 'variable' || target.indices.length !== 1) return [];
    const [index] = target.indices;
    const isOwn = target.container.symbol === outcome.symbol;
    const isIndexed =
      index.kind === 'single' && index.index.kind === 'variable' && index.index.name === statement.variable.name;
    const stacked = isOwn && isIndexed ? stackedElements(value) : undefined;
    return stacked === undefined ? [] : [{ elements: stacked, loop: statement }];
  });
  return found.length === 1 ? found[0] : undefined;
}

/** The elements of a row vector as written, or of its transpose. */
function stackedElements(node: TypedExpression): readonly TypedExpression[] | undefined {
  if (node.kind === 'parenthesis') return stackedElements(node.inner);
  if (node.kind === 'transpose') return stackedElements(node.operand);
  const isVector = node.kind === 'rowVectorLiteral' && node.type.kind === 'row_vector';
  return isVector ? node.elements : undefined;
}

function onlyAssignment(
  statement: Statement<Typed>,
): Extract<Statement<Typed>, { readonly kind: 'assignment' }> | undefined {
  if (statement.kind === 'block' && statement.statements.length === 1) return onlyAssignment(statement.statements[0]);
  return statement.kind === 'assignment' ? statement : undefined;
}
