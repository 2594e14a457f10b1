import { writesOf } from '../../dataflow/effects.js';
import type { Uses } from '../../dataflow/uses.js';
import type { Builder } from '../../ir/builder.js';
import type { Block, Expr, Local, Ref, Statement, StatementOf, Variable } from '../../ir/nodes.js';
import { rootOf } from '../../ir/refs.js';
import { copyOf } from '../../ir/remake.js';
import { blocksOf, mapBlocks, mapExpression, mapExpressions, visitStatements } from '../../ir/walk.js';

type ForLoop = StatementOf<'for'>;

/** The expression with `iteration` replacing the loop's index; `done` has the results for shared nodes. */
export function expressionAt(e: Expr, index: Local, iteration: Expr, done?: Map<Expr, Expr>): Expr {
  return mapExpression(e, (node) => (node.kind === 'get' && node.local === index ? iteration : node), done);
}

/** Copies of the statements, which share nothing with the original, with `iteration` replacing the loop's index. */
export function atIndex(block: Block, index: Local, iteration: Expr): Block {
  const done = new Map<Expr, Expr>();
  const copy = (statement: Statement): Statement => {
    const own = mapExpressions(statement, (root) => expressionAt(root, index, iteration, done));
    return mapBlocks(copyOf(own), (inner) => inner.map(copy));
  };
  return block.map(copy);
}

/** Whether the statements allocate containers of reals. */
export function allocatesReals(block: Block): boolean {
  return block.some(
    (statement) =>
      (statement.kind === 'allocate' && statement.ref.element === 'real') || blocksOf(statement).some(allocatesReals),
  );
}

/** A new variable for each one that is local to an iteration. */
export function ownVariables(builder: Builder, statements: Block, loop: ForLoop, uses: Uses): Map<Variable, Variable> {
  const replacements = new Map<Variable, Variable>();
  /** A parent that is local to the iteration precedes its views; other parents stay. */
  const parentOf = ({ parent }: Ref): Ref | null => {
    const replaced = parent === null ? undefined : replacements.get(parent);
    return replaced?.kind === 'ref' ? replaced : parent;
  };
  const replace = (variable: Variable): void => {
    if (replacements.has(variable) || !uses.isLocalToBody(variable, loop)) return;
    const made =
      variable.kind === 'local'
        ? builder.newLocal(variable.type, variable.name)
        : builder.newRef(variable.element, variable.rank, variable.name, 'local', parentOf(variable));
    replacements.set(variable, made);
  };
  visitStatements(statements, (statement) => {
    for (const variable of writesOf(statement)) replace(variable);
    if (statement.kind === 'allocate' || statement.kind === 'view') replace(statement.ref);
    if (statement.kind === 'for' || statement.kind === 'for_reverse') replace(statement.index);
  });
  return replacements;
}

/** Whether all values written to the container are indexes of loops around the writer, so that none occurs twice. */
export function isListOfIterations(ref: Ref, uses: Uses): boolean {
  const sites = uses.writes(rootOf(ref)).filter(({ statement }) => statement.kind === 'store');
  return (
    sites.length > 0 &&
    sites.every(({ statement, loops }) => {
      const value = statement.kind === 'store' ? statement.value : null;
      return value?.kind === 'get' && loops.some((loop) => loop.kind === 'for' && loop.index === value.local);
    })
  );
}

/** Whether the container has the distinct values of a sorted list, as lists of `groupIterations` do. */
export function isListOfDistinct(ref: Ref, uses: Uses): boolean {
  const sites = uses.writes(rootOf(ref)).filter(({ statement }) => statement.kind === 'store');
  return (
    sites.length > 0 &&
    sites.every(({ statement }) => {
      if (statement.kind !== 'store' || statement.value.kind !== 'get') return false;
      return uses.writes(statement.value.local).every(({ statement: writer }) => {
        const source = writer.kind === 'assign' && writer.value.kind === 'load' ? writer.value.ref : null;
        return source !== null && isWrittenBy('sort_asc_int', source, uses);
      });
    })
  );
}

/** Whether a kernel of this name writes the container. */
export function isWrittenBy(kernel: string, ref: Ref, uses: Uses): boolean {
  return uses.writes(rootOf(ref)).some(({ statement }) => statement.kind === 'kernel' && statement.name === kernel);
}
