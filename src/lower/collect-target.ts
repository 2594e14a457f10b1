import { append } from '../base/multimap.js';
import { Builder, type Names } from '../ir/builder.js';
import { add, compare, get, int, real } from '../ir/expressions.js';
import type { Block, Expr, IrFunction, IrProgram, Local, Statement, StatementOf, TargetTerm } from '../ir/nodes.js';
import {
  blocksOf,
  mapBlocks,
  mapExpression,
  mapExpressions,
  visitOwnExpressions,
  visitStatements,
} from '../ir/walk.js';
import type { Span } from '../source/span.js';

type Flags = Pick<IrProgram, 'keepConstants' | 'keepJacobian'>;

/**
 * Moves terms of `target` to the log density itself: what a called function adds to `target` becomes one more result, which the caller
 * adds. A call then has derivatives only through its arguments and results.
 *
 * In a program that reads `target()`, every term goes to a local, which `target()` reads, and which is added to `target` at the end; called
 * functions take it as one more parameter. Its value then depends on the parameters and on the order of statements, like that of any other
 * local.
 */
export function collectTarget<P extends IrProgram>(names: Names, program: P): P {
  const { functions, logDensity, generate } = program;
  const isRead = [logDensity, ...functions.map(({ body }) => body)].some((body) => body.some(readsTarget));
  const involved = involvedFunctions(functions, isRead);
  if (!isRead && involved.size === 0) return program;
  const collector = new Collector(names, program, involved, isRead);
  return {
    ...program,
    functions: functions.map((f) => (involved.has(f.id) ? collector.function(f) : f)),
    logDensity: collector.whole(logDensity),
    generate: collector.whole(generate),
  };
}

function readsTarget(statement: Statement): boolean {
  let reads = false;
  visitOwnExpressions(statement, (node) => {
    reads ||= node.kind === 'target';
  });
  return reads || blocksOf(statement).some((block) => block.some(readsTarget));
}

/** Functions that add to `target`, or read it if the program does, directly or through functions that they call. */
function involvedFunctions(functions: readonly IrFunction[], isRead: boolean): ReadonlySet<number> {
  const involved = new Set<number>();
  const callers = new Map<number, number[]>();
  for (const { id, body } of functions) {
    visitStatements(body, (statement) => {
      if (statement.kind === 'target') involved.add(id);
      if (statement.kind === 'call') append(callers, statement.callee, id);
    });
    if (isRead && body.some(readsTarget)) involved.add(id);
  }
  // Elements that are added during the iteration are also visited.
  for (const id of involved) for (const caller of callers.get(id) ?? []) involved.add(caller);
  return involved;
}

/** Rewrites the terms of `target` and the calls of functions that have any. */
class Collector {
  readonly #builder: Builder;
  readonly #flags: Flags;
  readonly #involved: ReadonlySet<number>;
  readonly #isRead: boolean;

  constructor(names: Names, flags: Flags, involved: ReadonlySet<number>, isRead: boolean) {
    this.#builder = new Builder(names);
    this.#flags = flags;
    this.#involved = involved;
    this.#isRead = isRead;
  }

  whole(block: Block): Block {
    if (!this.#isRead) return this.#block(block, null);
    const sum = this.#builder.newLocal('real', 'target');
    return [
      { kind: 'assign', local: sum, value: real(0) },
      ...this.#block(block, sum),
      { kind: 'target', value: get(sum), term: 'always', span: null },
    ];
  }

  function(f: IrFunction): IrFunction {
    const sum = this.#builder.newLocal('real', 'target');
    const before = this.#isRead ? this.#builder.newLocal('real', 'target_before') : null;
    return {
      ...f,
      parameters: before === null ? f.parameters : [...f.parameters, before],
      results: [...f.results, sum],
      body: [
        { kind: 'assign', local: sum, value: before === null ? real(0) : get(before) },
        ...this.#block(f.body, sum),
      ],
    };
  }

  /** `sum`: the local that the terms are added to; null for `target` itself. */
  #block(block: Block, sum: Local | null): Block {
    return block.flatMap((statement) => this.#statement(statement, sum));
  }

  #statement(statement: Statement, sum: Local | null): Block {
    const read = (root: Expr): Expr =>
      sum === null ? root : mapExpression(root, (node) => (node.kind === 'target' ? get(sum) : node));
    const own = mapBlocks(mapExpressions(statement, read), (inner) => this.#block(inner, sum));
    if (own.kind === 'call' && this.#involved.has(own.callee)) return this.#call(own, sum);
    return [own.kind === 'target' ? this.#add(own.value, own.term, own.span, sum) : own];
  }

  #call(call: StatementOf<'call'>, sum: Local | null): Block {
    if (this.#isRead && sum !== null) {
      return [{ ...call, args: [...call.args, get(sum)], results: [...call.results, sum] }];
    }
    const added = this.#builder.newLocal('real', 'added');
    return [{ ...call, results: [...call.results, added] }, this.#add(get(added), 'always', null, sum)];
  }

  #add(value: Expr, term: TargetTerm, span: Span | null, sum: Local | null): Statement {
    if (sum === null) return { kind: 'target', value, term, span };
    const addition: Statement = { kind: 'assign', local: sum, value: add(get(sum), value) };
    if (term === 'always') return addition;
    const flag = term === 'constant' ? this.#flags.keepConstants : this.#flags.keepJacobian;
    return { kind: 'if', condition: compare('ne', get(flag), int(0)), then: [addition], otherwise: [] };
  }
}
