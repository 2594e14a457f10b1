import type { Block, IrFunction, Local, Ref, Statement, Variable } from '../ir/nodes.js';
import { assignedLocals, definedRefs, visitStatements } from '../ir/walk.js';
import type { Needs } from './needs.js';

/**
 * A called function in a differentiated program, for one choice of active parameters: `forward` computes its results and leaves what the
 * reverse part needs on the tape; `reverse` takes the adjoints of the scalar results and returns those of the active scalar parameters. As
 * elsewhere, adjoints of containers are in memory.
 */
export interface DifferentiatedCallee {
  readonly forward: number;
  readonly reverse: number;
  /** Real scalar results, in the order of `reverse`'s parameters. */
  readonly results: readonly Local[];
  /** Positions of the active scalar parameters, in the order of `reverse`'s results. */
  readonly parameters: readonly number[];
}

/** A function differentiated for one choice of active parameters. */
export type DifferentiatedCallees = (callee: number, active: readonly boolean[]) => DifferentiatedCallee;

/** Whether each parameter is active: the key of a specialization. */
export function activityKey(callee: number, active: readonly boolean[]): string {
  return `${callee}:${active.map((isActive) => (isActive ? 1 : 0)).join('')}`;
}

export function isRealScalar(variable: Variable): variable is Local {
  return variable.kind === 'local' && variable.type === 'real';
}

export function asLocal(variable: Variable): Local {
  if (variable.kind !== 'local') throw new Error(`differentiate: ${variable.name} is not a scalar`);
  return variable;
}

/** Pushes the locals of the forward part that the reverse part reads, which do not outlive the call, and pops them. */
export function saveAcrossCall(
  original: IrFunction,
  forward: Block,
  needs: Needs,
): { readonly save: readonly Statement[]; readonly restore: readonly Statement[] } {
  const locals = new Set<Local>();
  const refs = new Set<Ref>();
  const indexes = new Set<Local>();
  for (const parameter of original.parameters) {
    if (parameter.kind === 'local') locals.add(parameter);
    else refs.add(parameter);
  }
  visitStatements(forward, (statement) => {
    if (statement.kind === 'for') indexes.add(statement.index);
    for (const local of assignedLocals(statement)) locals.add(local);
    for (const ref of definedRefs(statement)) refs.add(ref);
  });
  const keptLocals = [...locals].filter((local) => needs.locals.has(local) && !indexes.has(local));
  const keptRefs = [...refs].filter((ref) => needs.headers.has(ref));
  return {
    save: [
      ...keptLocals.map((local): Statement => ({ kind: 'push', value: { kind: 'get', type: local.type, local } })),
      ...keptRefs.map((ref): Statement => ({ kind: 'push_ref', ref })),
    ],
    restore: [
      ...[...keptRefs].reverse().map((ref): Statement => ({ kind: 'pop_ref', ref })),
      ...[...keptLocals].reverse().map((local): Statement => ({ kind: 'pop', local })),
    ],
  };
}

/** Containers of reals whose adjoints the reverse may access: those whose pointers it reads, and container results. */
export function clearedIn(original: IrFunction, needs: Needs): ReadonlySet<Ref> {
  const refs = [...needs.headers, ...original.results.filter((result): result is Ref => result.kind === 'ref')];
  return new Set(refs.filter((ref) => ref.element === 'real' && ref.storage === 'local'));
}
