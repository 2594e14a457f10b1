import type { Names } from '../../ir/builder.js';
import type { Block, Failure, IrFunction, Statement, StatementOf, Variable } from '../../ir/nodes.js';
import { assignedLocals, definedRefs, mapBlocks, mapStatements, visitStatements } from '../../ir/walk.js';
import type { Span } from '../../source/span.js';
import { substituteVariables } from './substitute.js';
import { copiesOf } from './variable-copies.js';

/** The maximum number of calls of functions that are inlined only if there are few. */
const FEW = 1;

/**
 * Inlining: replaces calls of functions with `inlined` by their bodies, with new variables for each call. Containers are read in place, because
 * such functions only read their parameters.
 */
export function inlineCalls(names: Names, block: Block, functions: readonly IrFunction[]): Block {
  const candidates = functions.filter((f) => f.inlined !== undefined);
  if (candidates.length === 0) return block;
  const counts = callsOf(block);
  const atMostFew = candidates.filter(({ inlined }) => inlined === 'few');
  const areFew = atMostFew.reduce((sum, { id }) => sum + (counts.get(id) ?? 0), 0) <= FEW;
  const inlined = new Map(
    candidates.filter((f) => f.inlined === 'always' || areFew).map((f): [number, IrFunction] => [f.id, f]),
  );
  const inside = (statements: Block): Block =>
    mapStatements(statements, (statement) => {
      const f = statement.kind === 'call' ? inlined.get(statement.callee) : undefined;
      if (statement.kind === 'call' && f !== undefined) return bodyAt(names, f, statement);
      return mapBlocks(statement, inside);
    });
  return inside(block);
}

/** The number of calls of each function in a block, by id. */
export function callsOf(block: Block): ReadonlyMap<number, number> {
  const counts = new Map<number, number>();
  visitStatements(block, (statement) => {
    if (statement.kind === 'call') counts.set(statement.callee, (counts.get(statement.callee) ?? 0) + 1);
  });
  return counts;
}

function bodyAt(names: Names, f: IrFunction, call: StatementOf<'call'>): Block {
  const own = new Set<Variable>();
  visitStatements(f.body, (statement) => {
    if (statement.kind === 'for') own.add(statement.index);
    for (const local of assignedLocals(statement)) own.add(local);
    for (const ref of definedRefs(statement)) own.add(ref);
  });
  const passed = new Map<Variable, Variable>();
  for (const [k, result] of f.results.entries()) passed.set(result, call.results[k]);
  for (const [k, parameter] of f.parameters.entries()) {
    const argument = call.args[k];
    if (argument.kind === 'ref') passed.set(parameter, argument);
    else own.add(parameter);
  }
  for (const variable of passed.keys()) own.delete(variable);
  const replacements = new Map([...passed, ...copiesOf(names, own, passed)]);
  const assignments = f.parameters.flatMap((parameter, k): Statement[] => {
    const [local, value] = [replacements.get(parameter), call.args[k]];
    return local?.kind === 'local' && value.kind !== 'ref' ? [{ kind: 'assign', local, value }] : [];
  });
  return [...assignments, ...located(substituteVariables(f.body, replacements), call)];
}

/** The statements with the locations of failures inside the call. */
function located(body: Block, { span = null, callers = [] }: StatementOf<'call'>): Block {
  const around = span === null ? callers : [span, ...callers];
  const place = (own: Pick<Failure, 'span' | 'callers'>): { span: Span | null; callers: readonly Span[] } => {
    return own.span === null ? { span, callers } : { span: own.span, callers: [...(own.callers ?? []), ...around] };
  };
  const locate = (statement: Statement): Statement => {
    switch (statement.kind) {
      case 'check': {
        const { condition, failure, values } = statement;
        return { kind: 'check', condition, failure: { ...failure, ...place(failure) }, values };
      }
      case 'allocate': {
        const { ref, sizes, fill, span: own = null, callers: calls } = statement;
        return { kind: 'allocate', ref, sizes, fill, ...place({ span: own, callers: calls }) };
      }
      case 'reject':
        return { ...statement, ...place(statement) };
      case 'call':
        return { ...statement, ...place({ span: statement.span ?? null, callers: statement.callers }) };
      default:
        return mapBlocks(statement, (inner) => inner.map(locate));
    }
  };
  return body.map(locate);
}
