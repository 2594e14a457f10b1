import { get, not, real } from '../../ir/expressions.js';
import type { Block, Expr, Statement } from '../../ir/nodes.js';
import { mapBlocks } from '../../ir/walk.js';
import type { Lowering } from '../lowering.js';

/** The real that `write` returns; NaN if one of its checks or a `reject` would have stopped the evaluation. */
export function tried({ builder }: Lowering, write: () => Expr): Expr {
  const result = builder.newLocal('real', 'tried');
  builder.assign(result, real(Number.NaN));
  builder.labeled((label) => {
    const body = builder.capture(() => builder.assign(result, write()));
    for (const statement of withoutRefusals(body, label)) builder.emit(statement);
  });
  return get(result);
}

function withoutRefusals(block: Block, label: number): Block {
  return block.map((statement): Statement => {
    if (statement.kind === 'check') {
      return { kind: 'if', condition: not(statement.condition), then: [{ kind: 'exit', label }], otherwise: [] };
    }
    if (statement.kind === 'reject' && !statement.fatal) return { kind: 'exit', label };
    return mapBlocks(statement, (inner) => withoutRefusals(inner, label));
  });
}
