/** Likely causes of the problems of a run, from its program and its draws. */

import { NAMES, named, type Statement } from '../base/statement.js';
import { displayName, variableOf } from '../formats/columns.js';
import type { DeclaredOutput } from '../formats/program-blocks.js';
import { pool } from '../inference/diagnostics/chains.js';
import type { Finding } from '../inference/diagnostics/findings.js';
import { correlation } from '../inference/diagnostics/moments.js';

export const CAUSE_SENTENCES = {
  causeWithoutPrior: `The chains do not agree on ${NAMES}, and the program has no prior for {count, plural, one {it} other {them}}. Add {count, plural, one {a prior} other {priors}} on the scale of plausible values.`,
  causeCorrelated:
    'The correlation of {first} and {second} is {value}: the data determine a combination of both, but not each of them. Remove one of them, add a constraint such as a sum of zero, or give both informative priors.',
} as const;

/** A likely cause, and the names of the quantities that show it, in the form of tables (`c[1]`). */
export interface Cause {
  readonly statement: Statement<keyof typeof CAUSE_SENTENCES>;
  readonly names: readonly string[];
}

/** The draws that are searched for causes. */
export interface CauseSource {
  readonly columns: readonly string[];
  readonly outputs: readonly DeclaredOutput[];
  /** The draws of a column after warmup, an array per chain. */
  columnAt(place: number): readonly Float64Array[];
}

/** Correlations of at least this size count as a cause. At 0.99, a parameter has a seventh of its standard deviation given the other. */
const STRONG = 0.99;
/** Maximum number of quantities whose correlations are computed, those with the worst diagnostics. */
const MOST_CORRELATED = 40;
/** Maximum number of quantities that belong to one cause. */
const MOST_SHOWN = 4;

/** Likely causes of poor convergence; empty if the checks found none. `withoutPrior`: the program's parameters without a prior. */
export function causesOf(
  findings: readonly Finding[],
  source: CauseSource,
  withoutPrior: readonly string[],
): readonly Cause[] {
  const concerns = (check: Finding['check']) =>
    findings.find((each) => each.check === check && !each.ok)?.concerns.map(({ name }) => displayName(name)) ?? [];
  const disagreeing = new Set(concerns('rhat').map(variableOf));
  const flat = withoutPrior.filter((name) => disagreeing.has(name));
  const concerned = [...new Set([...concerns('rhat'), ...concerns('ess')])];
  return [
    ...(flat.length > 0
      ? [{ statement: { key: 'causeWithoutPrior', values: named(flat) }, names: flat } as const]
      : []),
    ...strongestCorrelation(concerned, source),
  ];
}

/** The pair of parameters with the strongest correlation. Elements of one variable may be correlated by its constraint. */
function strongestCorrelation(concerned: readonly string[], source: CauseSource): readonly Cause[] {
  const { columns, outputs } = source;
  const parameters = new Set(outputs.filter(({ block }) => block === 'parameters').map(({ name }) => variableOf(name)));
  const places = new Map(columns.map((column, place) => [displayName(column), place]));
  const draws = concerned
    .filter((name) => parameters.has(variableOf(name)))
    .slice(0, MOST_CORRELATED)
    .flatMap((name) => {
      const place = places.get(name);
      return place === undefined ? [] : [{ name, values: pool(source.columnAt(place)) }];
    });
  const pairs = draws.flatMap((first, index) =>
    draws.slice(index + 1).flatMap((second) => {
      const value = correlation(first.values, second.values);
      if (variableOf(first.name) === variableOf(second.name) || !(Math.abs(value) >= STRONG)) return [];
      return [{ first: first.name, second: second.name, value }];
    }),
  );
  const [strongest] = pairs.toSorted((a, b) => Math.abs(b.value) - Math.abs(a.value));
  if (strongest === undefined) return [];
  const { first, second, value } = strongest;
  const related = pairs.flatMap((pair) =>
    pair.first === first || pair.second === second ? [pair.first, pair.second] : [],
  );
  return [
    {
      statement: { key: 'causeCorrelated', values: { first, second, value: value.toFixed(2) } },
      names: [...new Set([first, second, ...related])].slice(0, MOST_SHOWN),
    },
  ];
}
