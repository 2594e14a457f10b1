import { KERNELS } from '../functions/kernels.js';
import type { Block, Expr, Statement, Variable } from '../ir/nodes.js';
import { blocksOf, expressionsOf, mapBlocks, visitExpression } from '../ir/walk.js';
import { mentionsOfNode, rootOf, writesOf } from './effects.js';

/**
 * Removes assignments, stores, kernels and allocations whose results nothing with an effect (target, checks, messages,
 * `roots`) reads. Flow-insensitive: a variable is alive everywhere or nowhere.
 */
export function removeDead(block: Block, roots: Iterable<Variable> = []): Block {
  const live = new Set<Variable>(roots);
  let before = -1;
  while (live.size !== before) {
    before = live.size;
    markBlock(block, live);
  }
  return sweep(block, live);
}

function markBlock(block: Block, live: Set<Variable>): boolean {
  let any = false;
  for (const statement of block) any = mark(statement, live) || any;
  return any;
}

/** Marks what a statement reads if it is kept; says whether it is. */
function mark(statement: Statement, live: Set<Variable>): boolean {
  let kept = isKept(statement, live);
  for (const inner of blocksOf(statement)) kept = markBlock(inner, live) || kept;
  if (!kept) return false;
  const seen = new Set<Expr>();
  const add = (variable: Variable): void => {
    live.add(variable);
  };
  for (const root of expressionsOf(statement)) visitExpression(root, (node) => mentionsOfNode(node, add), seen);
  switch (statement.kind) {
    case 'store':
    case 'add_adjoint':
    case 'set_adjoint':
    case 'push_ref':
      live.add(statement.ref);
      break;
    case 'view':
      for (let ref = statement.ref.parent; ref !== null; ref = ref.parent) live.add(ref);
      break;
    case 'kernel':
      for (const argument of statement.args) {
        if (argument.kind !== 'pointer') continue;
        live.add(argument.ref);
        live.add(rootOf(argument.ref));
      }
      break;
    case 'call':
      for (const argument of statement.args) {
        if (argument.kind !== 'ref') continue;
        live.add(argument);
        live.add(rootOf(argument));
      }
      break;
    case 'print':
    case 'reject':
      for (const part of statement.parts) {
        if (part.kind !== 'container') continue;
        live.add(part.ref);
        live.add(rootOf(part.ref));
      }
      break;
    default:
      break;
  }
  return true;
}

function isKept(statement: Statement, live: ReadonlySet<Variable>): boolean {
  switch (statement.kind) {
    case 'assign':
      return live.has(statement.local);
    case 'store':
      return live.has(rootOf(statement.ref));
    case 'allocate':
    case 'view':
      return live.has(statement.ref);
    case 'kernel':
      return (
        !KERNELS.has(statement.name) ||
        statement.args.some(
          (argument) => argument.kind === 'random_state' || (argument.kind === 'pointer' && argument.adjoint),
        ) ||
        writesOf(statement).some((variable) => live.has(variable))
      );
    case 'for':
    case 'for_reverse':
    case 'if':
    case 'arena':
    case 'labelled':
      return false;
    default:
      return true;
  }
}

function sweep(block: Block, live: ReadonlySet<Variable>): Block {
  return block.flatMap((statement): Statement[] => {
    const inner = mapBlocks(statement, (b) => sweep(b, live));
    const blocks = blocksOf(inner);
    const structural = ['for', 'for_reverse', 'if', 'arena', 'labelled'].includes(statement.kind);
    if (structural) return blocks.some((b) => b.length > 0) ? [inner] : [];
    return isKept(statement, live) ? [inner] : [];
  });
}
