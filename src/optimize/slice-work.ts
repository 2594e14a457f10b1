import { Builder, type Names } from '../ir/builder.js';
import { add, int, isNumber, iterationsOf, mul, real, toReal } from '../ir/expressions.js';
import type { Block, Expr, Local, SlicedWork, Statement, StatementOf } from '../ir/nodes.js';
import { OPS } from '../ir/ops.js';
import { assignedLocals, blocksOf, everyNode, someNode, visitOwnExpressions, visitStatements } from '../ir/walk.js';

/** Nanoseconds, with derivatives, of an operation that is one instruction, of another one, and of a step of a kernel. */
const CHEAP = 0.2;
const EXPENSIVE = 2.5;
const STEP = 0.3;
/** Iterations of a loop whose number depends on more than data. */
const USUAL_ITERATIONS = 8;

/**
 * Estimates the work of a log density with its gradient. The estimates read sizes alone, so that they are the same on every machine.
 * `divided`: the loops and kernels that are divided among the slices.
 */
export function sliceWork(names: Names, logDensity: Block, divided: ReadonlySet<Statement>): SlicedWork {
  const write = (isDivided: boolean): Block => {
    const builder = new Builder(names);
    return builder.capture(() => writeWork(builder, logDensity, (statement) => divided.has(statement) === isDivided));
  };
  return { divided: write(true), shared: write(false) };
}

/** Adds the work of the chosen statements to `target`. Conditions on sizes are evaluated; for others, both branches count. */
function writeWork(builder: Builder, block: Block, isChosen: (statement: Statement) => boolean): void {
  let scalar = 0;
  const branch = (inner: Block) => () => writeWork(builder, inner, isChosen);
  for (const [place, statement] of block.entries()) {
    const attempt = statement.kind === 'if' ? attemptBefore(block.slice(0, place), statement) : null;
    if (statement.kind === 'if' && isOfSizes(statement.condition)) {
      builder.if(statement.condition, branch(statement.then), branch(statement.otherwise));
    } else if (statement.kind === 'if' && attempt !== null) {
      builder.if(attempt, () => {}, branch([...statement.then, ...statement.otherwise]));
    } else if (statement.kind === 'if' || statement.kind === 'labeled' || statement.kind === 'arena') {
      for (const inner of blocksOf(statement)) writeWork(builder, inner, isChosen);
    } else if (isChosen(statement)) {
      const work = workOf(statement);
      if (work.kind === 'const') scalar += work.value;
      else builder.target(work);
    }
  }
  if (scalar > 0) builder.target(real(scalar));
}

/**
 * The condition on sizes under which earlier statements attempt what this one does if they fail, which is rare, as in the code of
 * `sufficientStatistics`. Null if no such statement precedes it.
 */
function attemptBefore(before: Block, { condition }: StatementOf<'if'>): Expr | null {
  for (const statement of before) {
    if (statement.kind !== 'if' || !isOfSizes(statement.condition)) continue;
    const set = new Set<Local>();
    visitStatements(statement.then, (inner) => {
      for (const local of assignedLocals(inner)) set.add(local);
    });
    if (someNode(condition, (node) => node.kind === 'get' && set.has(node.local))) return statement.condition;
  }
  return null;
}

function workOf(statement: Statement): Expr {
  switch (statement.kind) {
    case 'for': {
      const isKnown = isOfSizes(statement.from) && isOfSizes(statement.to);
      const iterations = isKnown ? iterationsOf(statement.from, statement.to) : int(USUAL_ITERATIONS);
      return mul(toReal(iterations), workIn(statement.body));
    }
    case 'while':
      return mul(real(USUAL_ITERATIONS), workIn(statement.body));
    case 'kernel':
      return kernelWork(statement);
    default:
      return add(real(operationsOf(statement)), blocksOf(statement).map(workIn).reduce(add, real(0)));
  }
}

function workIn(block: Block): Expr {
  return block.map(workOf).reduce(add, real(0));
}

/** Most kernels are linear in the product of their sizes; those with one size are those of square matrices. */
function kernelWork({ args }: StatementOf<'kernel'>): Expr {
  const sizes = args.flatMap((argument): readonly Expr[] =>
    isNumber(argument) && argument.type === 'int'
      ? [isOfSizes(argument) ? toReal(argument) : real(USUAL_ITERATIONS)]
      : [],
  );
  const cubed = sizes.length === 1 ? [sizes[0], sizes[0], sizes[0]] : sizes;
  return cubed.reduce(mul, real(STEP));
}

function operationsOf(statement: Statement): number {
  let work = CHEAP;
  visitOwnExpressions(statement, (node) => {
    if (node.kind === 'apply') work += OPS[node.op].cost === 'expensive' ? EXPENSIVE : CHEAP;
    else if (node.kind === 'load') work += CHEAP;
  });
  return work;
}

/** Whether the expression can be evaluated anywhere, and depends on data alone. */
function isOfSizes(e: Expr): boolean {
  return everyNode(e, (node) => {
    switch (node.kind) {
      case 'const':
        return true;
      case 'get':
        return node.local.storage === 'global';
      case 'size':
        return node.ref.storage === 'global';
      case 'apply':
        return node.op !== 'div_int' && node.op !== 'rem_int';
      default:
        return false;
    }
  });
}
