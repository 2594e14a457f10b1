import type { Builder } from '../../ir/builder.js';
import { load } from '../../ir/expressions.js';
import type { Block, Expr, Ref, Statement } from '../../ir/nodes.js';
import { withBranches } from '../../ir/remake.js';
import { touchesTape } from './tape.js';

/** The bodies of a loop and of the loop that reverses it. */
interface Bodies {
  readonly forward: Block;
  readonly reverse: Block;
}

/**
 * The bodies with containers in place of the tape, which have one element per iteration at index `at`. Null unless the loop saves exactly
 * the scalars that its reverse restores, outside of inner loops.
 */
export function savedValues(
  builder: Builder,
  forward: Block,
  reverse: Block,
  at: Expr,
): (Bodies & { readonly refs: readonly Ref[] }) | null {
  const refs: Ref[] = [];
  const pair = (saving: Block, restoring: Block): Bodies | null => {
    const restores = restoring.filter(touchesTape).reverse();
    const replaced = new Map<Statement, Statement>();
    for (const [k, save] of saving.filter(touchesTape).entries()) {
      const restore = restores.at(k);
      if (save.kind === 'push' && restore?.kind === 'pop') {
        const { local } = restore;
        const ref = builder.newRef(local.type, 1, `${local.name}_saved`);
        refs.push(ref);
        replaced.set(save, { kind: 'store', ref, index: at, value: save.value });
        replaced.set(restore, { kind: 'assign', local, value: load(ref, at) });
      } else if (save.kind === 'if' && restore?.kind === 'if') {
        const then = pair(save.then, restore.then);
        const otherwise = pair(save.otherwise, restore.otherwise);
        if (then === null || otherwise === null) return null;
        replaced.set(save, withBranches(save, then.forward, otherwise.forward));
        replaced.set(restore, withBranches(restore, then.reverse, otherwise.reverse));
      } else return null;
    }
    if (replaced.size !== 2 * restores.length) return null;
    const replace = (statement: Statement): Statement => replaced.get(statement) ?? statement;
    return { forward: saving.map(replace), reverse: restoring.map(replace) };
  };
  const bodies = pair(forward, reverse);
  return bodies === null ? null : { ...bodies, refs };
}
