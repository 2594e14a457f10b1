/** Activity analysis: determines the variables that depend on the seeds. */
import { KERNELS } from '../../functions/kernels.js';
import type { Block, Expr, Ref, Statement, Variable } from '../../ir/nodes.js';
import { OPS } from '../../ir/ops.js';
import { rootOf } from '../../ir/refs.js';
import { visitStatements } from '../../ir/walk.js';

/** The variables that depend on the seeds. Containers are represented by their roots. */
export function activeIn(block: Block, seeds: readonly Variable[]): ReadonlySet<Variable> {
  const active = new Set<Variable>(seeds.map((seed) => (seed.kind === 'ref' ? rootOf(seed) : seed)));
  for (let size = -1; size < active.size; ) {
    size = active.size;
    visitStatements(block, (statement) => {
      for (const { from, to } of flowsOf(statement))
        if (from.some((e) => readsActive(e, active))) for (const variable of to) active.add(variable);
    });
  }
  return active;
}

export function readsActive(e: Expr | Ref, active: ReadonlySet<Variable>, seen = new Set<Expr>()): boolean {
  if (e.kind === 'ref') return active.has(rootOf(e));
  if (e.type === 'int' || seen.has(e)) return false;
  seen.add(e);
  if (e.kind === 'get') return active.has(e.local);
  if (e.kind === 'load') return active.has(rootOf(e.ref));
  if (e.kind !== 'apply') return false;
  const { partials, missing } = OPS[e.op];
  if (e.op !== 'select' && partials === null && missing === undefined) return false;
  return e.args.some((argument) => readsActive(argument, active, seen));
}

interface Flow {
  readonly from: readonly (Expr | Ref)[];
  readonly to: readonly Variable[];
}

function flowsOf(statement: Statement): readonly Flow[] {
  switch (statement.kind) {
    case 'assign':
      return statement.local.type === 'real' ? [{ from: [statement.value], to: [statement.local] }] : [];
    case 'store':
      return statement.ref.element === 'real' ? [{ from: [statement.value], to: [rootOf(statement.ref)] }] : [];
    case 'kernel': {
      const kernel = KERNELS.get(statement.name);
      if (kernel === undefined || kernel.adjoint === null) return [];
      const from: Ref[] = [];
      const to: Variable[] = statement.result === null ? [] : [statement.result];
      for (const [k, argument] of statement.args.entries()) {
        if (argument.kind === 'pointer' && argument.ref.element === 'real') {
          (kernel.outputs.includes(k) ? to : from).push(rootOf(argument.ref));
        }
      }
      return [{ from, to }];
    }
    case 'call':
      return [{ from: statement.args, to: statement.results.filter(isReal).map(rootOrLocal) }];
    default:
      return [];
  }
}

function rootOrLocal(variable: Variable): Variable {
  return variable.kind === 'ref' ? rootOf(variable) : variable;
}

export function isReal(variable: Variable): boolean {
  return variable.kind === 'ref' ? variable.element === 'real' : variable.type === 'real';
}
