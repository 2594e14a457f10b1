import type { Expr } from '../ir/nodes.js';

/** Whether two expressions are the same tree over the same variables. */
export function sameExpr(a: Expr, b: Expr): boolean {
  if (a === b) return true;
  if (a.kind !== b.kind || a.type !== b.type) return false;
  switch (a.kind) {
    case 'const':
      return b.kind === 'const' && Object.is(a.value, b.value);
    case 'get':
      return b.kind === 'get' && a.local === b.local;
    case 'load':
      return b.kind === 'load' && a.ref === b.ref && sameExpr(a.index, b.index);
    case 'load_adjoint':
      return b.kind === 'load_adjoint' && a.ref === b.ref && sameExpr(a.index, b.index);
    case 'size':
      return b.kind === 'size' && a.ref === b.ref && a.axis === b.axis;
    case 'target':
      return true;
    case 'apply':
      return b.kind === 'apply' && a.op === b.op && a.args.every((argument, k) => sameExpr(argument, b.args[k]));
  }
}
