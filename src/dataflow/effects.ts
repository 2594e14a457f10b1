import { KERNELS } from '../functions/kernels.js';
import type { Block, Expr, Ref, Statement, StatementOf, Variable } from '../ir/nodes.js';
import { rootOf } from '../ir/refs.js';
import { assignedLocals, blocksOf, definedRefs, visitOwnExpressions } from '../ir/walk.js';

/*
 * Reads and writes of statements. The contents of a container are identified by its root, the ref that owns the memory; its pointer and
 * sizes are identified by the ref itself.
 */

export type LoopStatement = StatementOf<'for' | 'while' | 'for_reverse'>;

export function isLoop(statement: Statement): statement is LoopStatement {
  return statement.kind === 'for' || statement.kind === 'while' || statement.kind === 'for_reverse';
}

/** Variables whose contents or value the statement itself (not its blocks) changes. */
export function writesOf(statement: Statement): readonly Variable[] {
  switch (statement.kind) {
    case 'store':
      return [rootOf(statement.ref)];
    case 'allocate':
      return [statement.ref];
    case 'view':
      return [];
    case 'kernel': {
      const written: Variable[] = [...assignedLocals(statement)];
      const outputs = KERNELS.get(statement.name)?.outputs ?? [];
      for (const k of outputs) {
        const argument = statement.args[k];
        if (argument.kind === 'pointer' && !argument.adjoint) written.push(rootOf(argument.ref));
      }
      return written;
    }
    case 'call':
      return statement.results;
    default:
      return assignedLocals(statement);
  }
}

/** Calls `visit` for each mention of a variable by the statement itself: with the root for contents, with the ref for headers. */
export function mentionsOf(statement: Statement, visit: (variable: Variable) => void): void {
  for (const local of assignedLocals(statement)) visit(local);
  for (const defined of definedRefs(statement)) visitRef(defined, visit);
  switch (statement.kind) {
    case 'store':
    case 'add_adjoint':
    case 'set_adjoint':
    case 'push_ref':
      visitRef(statement.ref, visit);
      break;
    case 'kernel':
      for (const argument of statement.args) if (argument.kind === 'pointer') visitRef(argument.ref, visit);
      break;
    case 'call':
      for (const argument of statement.args) if (argument.kind === 'ref') visitRef(argument, visit);
      break;
    case 'print':
    case 'reject':
      for (const part of statement.parts) if (part.kind === 'container') visitRef(part.ref, visit);
      break;
    default:
      break;
  }
  visitOwnExpressions(statement, (node) => mentionsOfNode(node, visit));
}

/** Whether a statement of the block, or one inside it, mentions the variable. */
export function mentions(block: Block, variable: Variable): boolean {
  return block.some((statement) => {
    let isFound = false;
    mentionsOf(statement, (mentioned) => {
      isFound ||= mentioned === variable;
    });
    return isFound || blocksOf(statement).some((inner) => mentions(inner, variable));
  });
}

export function mentionsOfNode(node: Expr, visit: (variable: Variable) => void): void {
  switch (node.kind) {
    case 'get':
      visit(node.local);
      break;
    case 'load':
    case 'load_adjoint':
    case 'size':
      visitRef(node.ref, visit);
      break;
    default:
      break;
  }
}

function visitRef(ref: Ref, visit: (variable: Variable) => void): void {
  for (let at: Ref | null = ref; at !== null; at = at.parent) visit(at);
}
