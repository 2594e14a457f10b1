import type { Block, Expr, KernelArgument, Local, PrintPart, Ref, Statement, Variable } from '../ir/nodes.js';
import { mapBlocks, mapExpression, mapExpressions } from '../ir/walk.js';

/**
 * A copy of the block with variables replaced by others of the same type and rank, wherever they are mentioned: views of a replaced
 * container view the new one.
 */
export function substituteVariables(block: Block, replacements: ReadonlyMap<Variable, Variable>): Block {
  if (replacements.size === 0) return block;
  const local = (l: Local): Local => {
    const r = replacements.get(l);
    return r?.kind === 'local' ? r : l;
  };
  const views = new Map<Ref, Ref>();
  const ref = (r: Ref): Ref => {
    const replacement = replacements.get(r) ?? views.get(r);
    if (replacement?.kind === 'ref') return replacement;
    if (r.parent === null) return r;
    const parent = ref(r.parent);
    const view = parent === r.parent ? r : { ...r, parent };
    views.set(r, view);
    return view;
  };
  const node = (e: Expr): Expr => {
    switch (e.kind) {
      case 'get':
        return replacements.has(e.local) ? { ...e, local: local(e.local) } : e;
      case 'load':
      case 'load_adjoint':
      case 'size':
        return ref(e.ref) === e.ref ? e : { ...e, ref: ref(e.ref) };
      default:
        return e;
    }
  };
  const argument = (a: KernelArgument): KernelArgument => (a.kind === 'pointer' ? { ...a, ref: ref(a.ref) } : a);
  const part = (p: PrintPart): PrintPart => (p.kind === 'container' ? { ...p, ref: ref(p.ref) } : p);
  const variable = (v: Variable): Variable => (v.kind === 'local' ? local(v) : ref(v));
  const done = new Map<Expr, Expr>();
  const own = (statement: Statement): Statement => {
    const s = mapExpressions(statement, (root) => mapExpression(root, node, done));
    switch (s.kind) {
      case 'assign':
      case 'pop':
        return { ...s, local: local(s.local) };
      case 'store':
      case 'add_adjoint':
      case 'set_adjoint':
      case 'allocate':
      case 'view':
      case 'push_ref':
      case 'pop_ref':
        return { ...s, ref: ref(s.ref) };
      case 'for':
      case 'for_reverse':
        return { ...s, index: local(s.index) };
      case 'kernel':
        return { ...s, args: s.args.map(argument), result: s.result === null ? null : local(s.result) };
      case 'call':
        return {
          ...s,
          args: s.args.map((a) => (a.kind === 'ref' ? ref(a) : a)),
          results: s.results.map(variable),
        };
      case 'print':
      case 'reject':
        return { ...s, parts: s.parts.map(part) };
      default:
        return { ...s };
    }
  };
  const rewrite = (b: Block): Block => b.map((statement) => mapBlocks(own(statement), rewrite));
  return rewrite(block);
}
