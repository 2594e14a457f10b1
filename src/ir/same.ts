import type { Expr } from './nodes.js';

/** Whether two expressions are written alike, so that they have one value where nothing they read changes between. */
export function sameExpression(a: Expr, b: Expr): boolean {
  if (a === b) return true;
  switch (a.kind) {
    case 'const':
      return b.kind === 'const' && a.type === b.type && Object.is(a.value, b.value);
    case 'get':
      return b.kind === 'get' && a.local === b.local;
    case 'size':
      return b.kind === 'size' && a.ref === b.ref && a.axis === b.axis;
    case 'load':
      return b.kind === 'load' && a.ref === b.ref && sameExpression(a.index, b.index);
    case 'apply':
      return b.kind === 'apply' && a.op === b.op && a.args.every((argument, i) => sameExpression(argument, b.args[i]));
    default:
      return false;
  }
}
