import { usesOf } from '../../dataflow/cached.js';
import { DataForms, type Dependence } from '../../dataflow/data-forms.js';
import { mentionsOfNode, writesOf } from '../../dataflow/effects.js';
import type { Uses } from '../../dataflow/uses.js';
import { Builder, type Names } from '../../ir/builder.js';
import { and, compare, int, isGetOf, neg, not } from '../../ir/expressions.js';
import type { Block, Expr, Local, Statement, StatementOf, TargetTerm, Variable } from '../../ir/nodes.js';
import { rootOf } from '../../ir/refs.js';
import { withBranches } from '../../ir/remake.js';
import { incrementsOf, termsOf } from '../../ir/sums.js';
import { definedRefs, operandsOf, visitStatements } from '../../ir/walk.js';
import { applied, type Decide, declined, UNNOTED } from '../decisions.js';
import { RowSums } from './row-sums.js';
import { RowValues } from './row-values.js';
import { readStatistics, sumRows } from './statistics-code.js';

type ForLoop = StatementOf<'for'>;

const PASS = 'sufficientStatistics';
const OTHER_CHECK = 'a check of the rows concerns other values than these sums';

interface Parts {
  readonly precompute: Block;
  readonly logDensity: Block;
}

/**
 * Sufficient statistics: replaces loops over rows of data by forms of sums over the rows, which `precompute` computes once per data set.
 * Applies to loops that only add two types of term to `target`: sums of products of data and quantities, Σ_k a_k(row) g_k, and squares of
 * such sums, such as the residuals of a normal distribution with a linear location; both may be multiplied by data and quantities. The loop
 * still runs if the sums may be inaccurate or do not pay off: for few rows, if a check may fail, or if a number is not finite.
 *
 * The sums have twice the precision of a double. Squares are those of R (b, -1), where R is the triangular factor of the matrix of sums of
 * products of the columns. Its first row has twice the precision and contains what all columns have in common, such as the mean of data far
 * from 0. The other rows suffer no more cancellation than a residual. If residuals are small compared with them, the loop runs instead.
 *
 * Applies only to loops that have data bounds and are not nested. Requires a block without exits, after data-only computations have been
 * hoisted.
 */
export function sufficientStatistics(
  names: Names,
  { precompute, logDensity }: Parts,
  inputs: readonly Variable[],
  decide: Decide = UNNOTED,
): Parts {
  if (!hasLoop(logDensity)) return { precompute, logDensity };
  const rewriter = new Rewriter(names, logDensity, inputs, decide);
  const rewritten = rewriter.block(logDensity, int(1));
  if (rewriter.early.length === 0) return { precompute, logDensity };
  return { precompute: [...precompute, ...rewriter.early], logDensity: rewritten };
}

/** The reason why a statement of a row is not a sum of products. */
function obstacleIn({ kind }: Statement): string {
  switch (kind) {
    case 'target':
    case 'assign':
      return 'a row reads what other rows have changed';
    case 'check':
      return OTHER_CHECK;
    case 'if':
      return 'what a row adds depends on a condition';
    case 'for':
    case 'while':
      return 'a row has its own loop';
    default:
      return 'a row does more than compute terms';
  }
}

function hasLoop(block: Block): boolean {
  return block.some(
    (statement) =>
      statement.kind === 'for' ||
      (statement.kind === 'if' && (hasLoop(statement.then) || hasLoop(statement.otherwise))),
  );
}

class Rewriter {
  /** Statements that compute the sums. */
  readonly early: Statement[] = [];
  readonly #builder: Builder;
  readonly #uses: Uses;
  /** Variables that are not data: the inputs, and those that the block writes. */
  readonly #fixed: Set<Variable>;
  /** The dependence of expressions outside of loops over rows. */
  readonly #outside = this.#dependenceIn(null);
  readonly #decide: Decide;

  constructor(names: Names, block: Block, inputs: readonly Variable[], decide: Decide) {
    this.#builder = new Builder(names);
    this.#decide = decide;
    this.#uses = usesOf(block);
    this.#fixed = new Set(inputs);
    visitStatements(block, (statement) => {
      for (const variable of [...writesOf(statement), ...definedRefs(statement)]) this.#fixed.add(variable);
    });
  }

  /** `condition`: a data-only expression for whether the block runs. */
  block(block: Block, condition: Expr): Block {
    const dropped = new Set<Statement>();
    const rewritten = block.map((statement): readonly Statement[] => {
      if (statement.kind === 'for') return this.#loop(statement, block, condition, dropped) ?? [statement];
      if (statement.kind !== 'if' || !this.#isDataExpr(statement.condition)) return [statement];
      const then = this.block(statement.then, and(condition, statement.condition));
      const otherwise = this.block(statement.otherwise, and(condition, not(statement.condition)));
      return [withBranches(statement, then, otherwise)];
    });
    return block.flatMap((statement, k) => (dropped.has(statement) ? [] : rewritten[k]));
  }

  #isDataExpr(e: Expr): boolean {
    return !this.#outside(e).quantity;
  }

  /** The replacement of a loop; null if it does not change. Moves statements into it that only the loop needs, and adds these to `dropped`. */
  #loop(loop: ForLoop, block: Block, condition: Expr, dropped: Set<Statement>): readonly Statement[] | null {
    const stays = (reason: string): null => {
      this.#decide(declined(PASS, loop, reason));
      return null;
    };
    if (!this.#isDataExpr(loop.from) || !this.#isDataExpr(loop.to)) {
      return stays('the number of rows depends on parameters');
    }
    const values = new RowValues(loop, {
      block,
      uses: this.#uses,
      isData: (e) => this.#isDataExpr(e),
      isDataRef: (ref) => !this.#fixed.has(ref) && !this.#fixed.has(rootOf(ref)),
      newProduct: () => {
        const ref = this.#builder.newRef('real', 1, 'product');
        this.#fixed.add(ref);
        return ref;
      },
    });
    const sums = this.#sumsOf(loop, values);
    if (typeof sums === 'string') return stays(sums);
    const makers = values.makers();
    if (makers === null || makers.some((maker) => dropped.has(maker))) {
      return stays('other statements need the product of the matrix and the vector');
    }
    if (sums.sums.length === 0) return null;
    this.#decide(applied(PASS, loop, sums.lookups));
    const statistics = this.#builder.captureResult(() => sumRows(this.#builder, loop, condition, sums));
    this.early.push(...statistics.block);
    for (const maker of makers) dropped.add(maker);
    return this.#builder.capture(() => {
      const isDone = readStatistics(this.#builder, loop, sums, statistics.result);
      this.#builder.if(compare('eq', isDone, int(0)), () => {
        for (const statement of [...makers, loop]) this.#builder.emit(statement);
      });
    });
  }

  /** The sums that the loop computes, or the reason why it cannot be expressed as such. */
  #sumsOf(loop: ForLoop, values: RowValues): RowSums | string {
    const dependence = this.#dependenceIn(loop);
    const forms = new DataForms(dependence, values.products);
    const sums = new RowSums(forms, (e) => !dependence(e).row, this.#builder.newLocal('int', 'k'));
    const add = (value: Expr, to: TargetTerm | Local): boolean => {
      const own = values.of(value);
      return own !== null && sums.addTerms(termsOf(own), to);
    };
    const reads = (statement: Statement): boolean => {
      switch (statement.kind) {
        case 'assign': {
          const { local, value } = statement;
          const terms = local.type === 'real' ? incrementsOf(value, isGetOf(local)) : null;
          if (terms === null || !this.#isAccumulator(local, loop)) return values.assign(statement);
          return terms.every((term) => add(term.negative ? neg(term.value) : term.value, local));
        }
        case 'check': {
          const condition = values.of(statement.condition);
          return condition !== null && sums.addCheck(condition);
        }
        case 'for':
          return values.accumulate(statement);
        default:
          return statement.kind === 'target' && add(statement.value, statement.term);
      }
    };
    const other = loop.body.find((statement) => !reads(statement));
    if (other !== undefined) {
      // The reason from a term is more useful than the reason from a check before it.
      if (this.#decide !== UNNOTED)
        for (const statement of loop.body) if (statement.kind === 'target') reads(statement);
      return forms.obstacle ?? obstacleIn(other);
    }
    return sums.coverChecks() ? sums : OTHER_CHECK;
  }

  /** Whether the loop only adds to the local, once per iteration, and does not read it otherwise: its one statement mentions it twice. */
  #isAccumulator(local: Local, loop: ForLoop): boolean {
    return this.#uses.writesIn(local, loop).count === 1 && this.#uses.countIn(local, loop) === 2;
  }

  /** The dependence of expressions in a loop over rows, after the locals of its body have been eliminated. */
  #dependenceIn(loop: ForLoop | null): (e: Expr) => Dependence {
    const answers = new Map<Expr, Dependence>();
    const dependence = (e: Expr): Dependence => {
      const known = answers.get(e);
      if (known !== undefined) return known;
      const operands = operandsOf(e).map(dependence);
      let row = operands.some((operand) => operand.row);
      let quantity = e.kind === 'target' || e.kind === 'load_adjoint' || operands.some((operand) => operand.quantity);
      mentionsOfNode(e, (variable) => {
        if (variable === loop?.index) row = true;
        else if (this.#fixed.has(variable)) quantity = true;
      });
      const answer = { row, quantity };
      answers.set(e, answer);
      return answer;
    };
    return dependence;
  }
}
