import { isGetOf } from '../ir/expressions.js';
import { sameExpression } from '../ir/interned.js';
import type { Block, KernelArgument, Local, Ref, Statement } from '../ir/nodes.js';
import { rootOf } from '../ir/refs.js';
import { expressionsOf, someNode, visitExpression, visitStatements } from '../ir/walk.js';

/**
 * Whether statements that fill `target` also read elements of it other than the one that they write next. Earlier writes would then change
 * later reads.
 */
export function readsWhatItWrites(block: Block, target: Ref): boolean {
  const root = rootOf(target);
  let conflict = false;
  visitStatements(block, (statement) => {
    for (const e of expressionsOf(statement)) {
      visitExpression(e, (node) => {
        if (node.kind !== 'load' || rootOf(node.ref) !== root) return;
        const isOwn =
          statement.kind === 'store' &&
          node.ref === statement.ref &&
          statement.ref === target &&
          sameExpression(node.index, statement.index);
        if (!isOwn) conflict = true;
      });
    }
    if (mentions(statement, root)) conflict = true;
  });
  return conflict;
}

function mentions(statement: Statement, root: Ref): boolean {
  switch (statement.kind) {
    case 'kernel':
      return statement.args.some(
        (argument: KernelArgument) => argument.kind === 'pointer' && rootOf(argument.ref) === root,
      );
    case 'call':
      return statement.args.some((argument) => argument.kind === 'ref' && rootOf(argument) === root);
    default:
      return false;
  }
}

/** Whether the statements of the block read the local. */
export function readsLocal(block: Block, local: Local): boolean {
  let found = false;
  visitStatements(block, (statement) => {
    found ||= expressionsOf(statement).some((e) => someNode(e, isGetOf(local)));
  });
  return found;
}
