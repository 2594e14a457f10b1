import { Builder, type Names } from '../ir/builder.js';
import { add, compare, get, int, real } from '../ir/expressions.js';
import type { Block, Expr, IrFunction, IrProgram, Local, Statement } from '../ir/nodes.js';
import { blocksOf, expressionsOf, mapBlocks, mapExpression, mapExpressions, visitExpression } from '../ir/walk.js';

type Flags = Pick<IrProgram, 'keepConstants' | 'keepJacobian'>;

/**
 * Of a program that reads `target()`: every term of `target` goes to a local, which is what is read, and from there to
 * `target` at the end. So its value depends on the parameters, and on the order of statements, like any other. Functions
 * that are called take it as one more parameter and give it back as one more result. Other programs stay as they are.
 */
export function collectTarget<P extends IrProgram>(names: Names, program: P): P {
  const { functions, logDensity, generate } = program;
  const bodies = [logDensity, ...functions.map(({ body }) => body)];
  if (!bodies.some((body) => body.some(readsTarget))) return program;

  const involved = involvedFunctions(functions);
  const collector = new Collector(names, program, involved);
  return {
    ...program,
    functions: functions.map((f) => (involved.has(f.id) ? collector.function(f) : f)),
    logDensity: collector.whole(logDensity),
    generate: collector.whole(generate),
  };
}

function readsTarget(statement: Statement): boolean {
  const seen = new Set<Expr>();
  let reads = false;
  for (const root of expressionsOf(statement)) {
    visitExpression(
      root,
      (node) => {
        reads ||= node.kind === 'target';
      },
      seen,
    );
  }
  return reads || blocksOf(statement).some((block) => block.some(readsTarget));
}

/** Functions that read `target` or add to it, themselves or by what they call. */
function involvedFunctions(functions: readonly IrFunction[]): ReadonlySet<number> {
  const involved = new Set<number>();
  const isInvolved = (statement: Statement): boolean =>
    statement.kind === 'target' ||
    (statement.kind === 'call' && involved.has(statement.callee)) ||
    blocksOf(statement).some((block) => block.some(isInvolved));
  for (let before = -1; before !== involved.size; ) {
    before = involved.size;
    for (const { id, body } of functions) {
      if (body.some((statement) => isInvolved(statement) || readsTarget(statement))) involved.add(id);
    }
  }
  return involved;
}

class Collector {
  readonly #builder: Builder;
  readonly #flags: Flags;
  readonly #involved: ReadonlySet<number>;

  constructor(names: Names, flags: Flags, involved: ReadonlySet<number>) {
    this.#builder = new Builder(names);
    this.#flags = flags;
    this.#involved = involved;
  }

  whole(block: Block): Block {
    const sum = this.#builder.newLocal('real', 'target');
    return [
      { kind: 'assign', local: sum, value: real(0) },
      ...this.#block(block, sum),
      { kind: 'target', value: get(sum), term: 'always' },
    ];
  }

  function(f: IrFunction): IrFunction {
    const before = this.#builder.newLocal('real', 'target_before');
    const sum = this.#builder.newLocal('real', 'target');
    return {
      ...f,
      parameters: [...f.parameters, before],
      results: [...f.results, sum],
      body: [{ kind: 'assign', local: sum, value: get(before) }, ...this.#block(f.body, sum)],
    };
  }

  #block(block: Block, sum: Local): Block {
    return block.map((statement) => this.#statement(statement, sum));
  }

  #statement(statement: Statement, sum: Local): Statement {
    const read = (root: Expr): Expr => mapExpression(root, (node) => (node.kind === 'target' ? get(sum) : node));
    const own = mapBlocks(mapExpressions(statement, read), (inner) => this.#block(inner, sum));
    if (own.kind === 'call' && this.#involved.has(own.callee)) {
      return { ...own, args: [...own.args, get(sum)], results: [...own.results, sum] };
    }
    if (own.kind !== 'target') return own;
    const addition: Statement = { kind: 'assign', local: sum, value: add(get(sum), own.value) };
    if (own.term === 'always') return addition;
    const flag = own.term === 'constant' ? this.#flags.keepConstants : this.#flags.keepJacobian;
    return { kind: 'if', condition: compare('ne', get(flag), int(0)), then: [addition], otherwise: [] };
  }
}
