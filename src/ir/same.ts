import type { Expr } from './nodes.js';

/** Whether two expressions are the same tree over the same variables: they have one value where nothing they read changes between. */
export function sameExpression(a: Expr, b: Expr): boolean {
  if (a === b) return true;
  if (a.kind !== b.kind || a.type !== b.type) return false;
  switch (a.kind) {
    case 'const':
      return b.kind === 'const' && Object.is(a.value, b.value);
    case 'get':
      return b.kind === 'get' && a.local === b.local;
    case 'load':
      return b.kind === 'load' && a.ref === b.ref && sameExpression(a.index, b.index);
    case 'load_adjoint':
      return b.kind === 'load_adjoint' && a.ref === b.ref && sameExpression(a.index, b.index);
    case 'size':
      return b.kind === 'size' && a.ref === b.ref && a.axis === b.axis;
    case 'target':
      return true;
    case 'apply':
      return b.kind === 'apply' && a.op === b.op && a.args.every((argument, k) => sameExpression(argument, b.args[k]));
  }
}

/** A text that is equal for expressions that are the same tree over the same variables, and only for those. */
export function keyOf(e: Expr): string {
  switch (e.kind) {
    case 'const':
      return `${e.type}${Object.is(e.value, -0) ? '-0' : e.value}`;
    case 'get':
      return `v${e.local.id}`;
    case 'size':
      return `s${e.ref.id}.${e.axis}`;
    case 'target':
      return 'target';
    case 'load':
    case 'load_adjoint':
      return `${e.kind}${e.ref.id}[${keyOf(e.index)}]`;
    case 'apply':
      return `${e.op}(${e.args.map(keyOf).join()})`;
  }
}
