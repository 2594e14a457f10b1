import { check } from './check/check.js';
import { FUNCTIONS } from './functions/table.js';
import { Names } from './ir/builder.js';
import type { Block } from './ir/nodes.js';
import { blocksOf } from './ir/walk.js';
import { lower } from './lower/lower.js';
import { addingStatements, type Decision } from './optimize/decisions.js';
import { PassRunner } from './optimize/runner.js';
import { isBefore, type Span, spanText } from './source/span.js';
import { parse } from './syntax/parse.js';

/**
 * What an evaluation of the log density costs for a statement, from cheap to costly:
 * - `data`: nothing. What it adds is computed when data are bound.
 * - `once`: it is evaluated once, and no loop over rows of data remains.
 * - `sums`: as much for any number of rows. Sums over the rows are computed when data are bound.
 * - `groups`: as much for each group of rows with equal indexes.
 * - `distinct rows`: as much for each distinct row of data.
 * - `rows`: as much for each row.
 */
type Cost = 'data' | 'once' | 'sums' | 'groups' | 'distinct rows' | 'rows';

/** The cost of a statement that increments `target`. */
export interface StatementCost {
  readonly span: Span;
  readonly cost: Cost;
  /** Variables whose values distinguish groups or rows. */
  readonly by: readonly string[];
  /** Variables for each of whose distinct values costly terms are computed once, if they are not computed for each row. */
  readonly termsBy: readonly string[];
  /** Why the cost is not lower. */
  readonly reasons: readonly Reason[];
}

/** Why rows are not replaced by sums, or rows with equal data not merged. A sentence without a period. */
interface Reason {
  readonly against: 'sums' | 'distinct rows';
  readonly text: string;
}

/** A cost in the form of a response. */
export interface CostDetail {
  readonly cost: Cost;
  readonly by: readonly string[];
  readonly terms_by: readonly string[];
  readonly reasons: readonly Reason[];
  /** The source of the statement. */
  readonly text: string;
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

export function costDetail({ by, cost, reasons, span, termsBy }: StatementCost): CostDetail {
  const { file, line, column } = span.begin;
  return { cost, by, terms_by: termsBy, reasons, text: spanText(span), file: file.name, line, column };
}

export interface ExplainOptions {
  /** The program's name in messages; Stan uses `string` if there is no file. */
  readonly name?: string;
  readonly includes?: ReadonlyMap<string, string>;
}

/**
 * The cost of each statement that increments `target`, from the decisions of the compiler's passes, in the order of the program. Null for a
 * program that cannot be compiled.
 */
export function explain(text: string, options: ExplainOptions = {}): readonly StatementCost[] | null {
  const { name = 'string', includes = new Map() } = options;
  const parsed = parse({ name, text }, includes);
  if ('diagnostics' in parsed) return null;
  const checked = check(parsed.program, FUNCTIONS);
  if ('diagnostics' in checked) return null;
  const names = new Names();
  const lowered = lower(checked.program, FUNCTIONS, names, { modelName: name });
  if ('diagnostics' in lowered) return null;
  const { functions, keepConstants, keepJacobian, logDensity, position } = lowered.program;
  const decisions: Decision[] = [];
  const passes = new PassRunner(names, { decide: (decision) => decisions.push(decision) });
  const optimized = passes.logDensity(logDensity, [position, keepConstants, keepJacobian], functions);
  const within = rowsIn(optimized.logDensity);
  const left = new Set(addingStatements(optimized.logDensity));
  // Omits containers that passes have created.
  const declared = new Set([...checked.program.variables.values()].map((variable) => variable.name));
  const named = (costs: StatementCost): StatementCost => ({
    ...costs,
    by: costs.by.filter((each) => declared.has(each)),
    termsBy: costs.termsBy.filter((each) => declared.has(each)),
  });
  return addingStatements(logDensity)
    .map((span) => named(costOf(span, decisions, within, left)))
    .sort((one, other) => (isBefore(one.span.begin, other.span.begin) ? -1 : 1));
}

function costOf(
  span: Span,
  decisions: readonly Decision[],
  within: ReadonlySet<Span>,
  left: ReadonlySet<Span>,
): StatementCost {
  const own = decisions.filter(({ statements }) => statements.includes(span));
  const of = (pass: Decision['pass']) => own.filter((decision) => decision.pass === pass);
  const by = (found: readonly Decision[]) => [
    ...new Set(found.flatMap((decision) => (decision.isApplied ? decision.by : []))),
  ];
  const reasons = own.flatMap((decision): readonly Reason[] => {
    if (decision.isApplied) return [];
    return [{ against: decision.pass === 'mergeRows' ? 'distinct rows' : 'sums', text: decision.reason }];
  });
  const termsBy = by([...of('groupIterations'), ...of('tabulateValues')]);
  const sums = of('sufficientStatistics').filter(({ isApplied }) => isApplied);
  const merged = of('mergeRows').filter(({ isApplied }) => isApplied);
  const cost = (found: Cost, names: readonly string[], why: readonly Reason[] = []): StatementCost => ({
    span,
    cost: found,
    by: names,
    termsBy: found === 'rows' ? termsBy : [],
    reasons: why,
  });
  if (sums.length > 0) {
    // Rows read the same entry of a table if their data of the table are equal.
    const groups = by(sums).length === 0 ? [] : [...new Set([...by(sums), ...by(of('tabulateValues'))])];
    return cost(groups.length > 0 ? 'groups' : 'sums', groups);
  }
  const [againstSums] = reasons.filter(({ against }) => against === 'sums');
  const [againstMerging] = reasons.filter(({ against }) => against === 'distinct rows');
  if (merged.length > 0) return cost('distinct rows', by(merged), againstSums === undefined ? [] : [againstSums]);
  const found = [againstSums, againstMerging].filter((reason) => reason !== undefined);
  if (within.has(span)) return cost('rows', [], found.length > 0 ? found : [{ against: 'sums', text: NESTED }]);
  return left.has(span) || termsBy.length > 0 ? cost('once', []) : cost('data', []);
}

const NESTED = 'the rows are inside another loop, or the loop is a while loop';

/** The source statements that increment `target` in a loop. */
function rowsIn(block: Block): ReadonlySet<Span> {
  const spans = new Set<Span>();
  const visit = (inner: Block): void => {
    for (const statement of inner) {
      if (statement.kind === 'for' || statement.kind === 'while') {
        for (const span of addingStatements(statement.body)) spans.add(span);
      } else for (const each of blocksOf(statement)) visit(each);
    }
  };
  visit(block);
  return spans;
}
