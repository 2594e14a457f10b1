import { append } from '../base/multimap.js';
import { KERNELS } from '../functions/kernels.js';
import type { Block, Expr, Local, Ref, Statement, Variable } from '../ir/nodes.js';
import { OPS } from '../ir/ops.js';
import { rootOf } from '../ir/refs.js';
import { SmallSet } from '../ir/small.js';
import { visitStatements } from '../ir/walk.js';

/**
 * Activity analysis: determines the variables that carry derivatives. A variable is active if its value depends differentiably on the
 * inputs and `target` depends differentiably on it. Flow-insensitive: one result per variable for the whole block.
 */
export class Activity {
  readonly #varied = new Set<Variable>();
  readonly #useful = new Set<Variable>();

  constructor(block: Block, inputs: readonly Variable[], outputs: readonly Variable[] = []) {
    for (const input of inputs) this.#varied.add(input);
    for (const output of outputs) this.#useful.add(output.kind === 'ref' ? rootOf(output) : output);
    const forward = new Map<Variable, Flow[]>();
    const backward = new Map<Variable, Flow[]>();
    visitStatements(block, (statement) => {
      for (const flow of flowsOf(statement)) {
        for (const variable of flow.from) append(forward, variable, flow);
        if (flow.to === null) for (const variable of flow.from) this.#useful.add(variable);
        else for (const variable of flow.to) append(backward, variable, flow);
      }
    });
    spread(this.#varied, forward, (flow) => flow.to ?? []);
    spread(this.#useful, backward, (flow) => flow.from);
  }

  isActive(variable: Variable): boolean {
    const key = variable.kind === 'ref' ? rootOf(variable) : variable;
    return this.#varied.has(key) && this.#useful.has(key);
  }

  /** Whether an adjoint of `e` would reach an active variable. */
  isActiveExpr(e: Expr): boolean {
    return dependsDifferentiably(e, (variable) => this.isActive(variable));
  }
}

/** A flow of values from `from` into `to`, where null represents `target`. */
interface Flow {
  readonly from: readonly Variable[];
  readonly to: readonly Variable[] | null;
}

/** Adds to the set everything that is reachable from it. `flows` contains the flows out of each variable. */
function spread(
  set: Set<Variable>,
  flows: ReadonlyMap<Variable, readonly Flow[]>,
  ends: (flow: Flow) => readonly Variable[],
): void {
  // Iterating over a set also visits elements that are added during the iteration.
  for (const variable of set) {
    for (const flow of flows.get(variable) ?? []) for (const end of ends(flow)) set.add(end);
  }
}

function flowsOf(statement: Statement): readonly Flow[] {
  switch (statement.kind) {
    case 'assign':
      return statement.local.type === 'real' ? [{ from: sourcesOf(statement.value), to: [statement.local] }] : [];
    case 'store':
      return statement.ref.element === 'real'
        ? [{ from: sourcesOf(statement.value), to: [rootOf(statement.ref)] }]
        : [];
    case 'target':
      return [{ from: sourcesOf(statement.value), to: null }];
    case 'kernel': {
      const kernel = KERNELS.get(statement.name);
      if (kernel === undefined || kernel.adjoint === null) return [];
      const from: Variable[] = [];
      const to: Variable[] = statement.result === null ? [] : [statement.result];
      statement.args.forEach((argument, k) => {
        if (argument.kind !== 'pointer' || argument.ref.element !== 'real') return;
        (kernel.outputs.includes(k) ? to : from).push(rootOf(argument.ref));
      });
      return [{ from, to }];
    }
    case 'call': {
      const from = statement.args.flatMap((argument): Variable[] =>
        argument.kind === 'ref' ? [rootOf(argument)] : sourcesOf(argument),
      );
      const to = statement.results.filter(isReal).map((result) => (result.kind === 'ref' ? rootOf(result) : result));
      return [{ from, to }];
    }
    default:
      return [];
  }
}

function isReal(variable: Variable): boolean {
  return variable.kind === 'ref' ? variable.element === 'real' : variable.type === 'real';
}

/** Real variables on which the value depends differentiably. */
function sourcesOf(e: Expr): Variable[] {
  const sources: Variable[] = [];
  dependsDifferentiably(e, (variable) => {
    sources.push(variable);
    return false;
  });
  return sources;
}

/** Whether `e` depends on a real variable for which `holds`, through differentiable operations only. */
function dependsDifferentiably(
  e: Expr,
  holds: (variable: Local | Ref) => boolean,
  seen = new SmallSet<Expr>(),
): boolean {
  if (!seen.add(e)) return false;
  if (e.type === 'int') return false;
  switch (e.kind) {
    case 'get':
      return holds(e.local);
    case 'load':
      return holds(rootOf(e.ref));
    case 'apply':
      if (e.op !== 'select' && OPS[e.op].partials === null) return false;
      return e.args.some((argument) => dependsDifferentiably(argument, holds, seen));
    default:
      return false;
  }
}
