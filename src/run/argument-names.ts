/** Arguments by the names of any Stan interface, for the packages for Python and R. */
import { type ArgumentProblem, countArgument, readArguments } from '../inference/algorithms/arguments.js';
import { nearestName } from '../language/suggestion.js';
import { type Advice, FOREIGN_ARGUMENTS } from './foreign-arguments.js';
import { argumentsOf } from './functions.js';
import { type MethodName, methodNamed } from './methods.js';

/** The package whose user typed the arguments. */
export type Caller = keyof Exclude<Advice, string>;

type Fields = Readonly<Record<string, unknown>>;

/** Fields of requests that are not arguments of an algorithm. */
const OTHER_FIELDS = ['save', 'until', 'simulations', 'folds', 'groups', 'observations'];

const PARALLEL_CHAINS = countArgument('parallel_chains', 1, 'Maximum number of chains that run concurrently.');

export interface NamedArguments {
  /** Arguments by the names of the engine. */
  readonly fields: Fields;
  /** Each name of the engine among the fields → the name that was typed. */
  readonly typed: ReadonlyMap<string, string>;
  /** Maximum number of chains that run concurrently. It does not change results, so it is not an argument of a function. */
  readonly parallelChains?: number;
  /** One problem per argument that is unknown, rejected, or given twice. */
  readonly problems: readonly ArgumentProblem[];
}

/** Converts arguments of a method to the names of the engine. Arguments that are undefined are absent. */
export function nameArguments(method: MethodName, given: Fields, caller: Caller): NamedArguments {
  const rows = new Map(
    FOREIGN_ARGUMENTS.filter(({ methods }) => methods.includes(method)).map((row) => [row.name, row]),
  );
  const own = ownNames(method);
  const fields: Record<string, unknown> = {};
  const typed = new Map<string, string>();
  const problems: ArgumentProblem[] = [];
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined) continue;
    const row = rows.get(name);
    if (row?.instead !== undefined) {
      const advice = typeof row.instead === 'string' ? row.instead : row.instead[caller];
      const message = `is not an argument of ${title(method)}: ${advice}.`;
      if (!row.harmless?.includes(value)) problems.push({ field: name, message });
      continue;
    }
    if (row === undefined && !own.has(name)) {
      const accepted = [...rows.values()].filter(({ means }) => means !== undefined);
      const nearest = nearestName(name, [...own, ...accepted.map((each) => each.name)]);
      const hint = nearest === undefined ? '' : ` Did you mean ${nearest}?`;
      problems.push({ field: name, message: `is not an argument of ${title(method)}.${hint}` });
      continue;
    }
    const [field, meant] = engineArgument(row?.means ?? name, value, given);
    if (meant === undefined) continue;
    const earlier = typed.get(field);
    if (earlier !== undefined)
      problems.push({ field: name, message: `means the same as ${earlier}: pass one of them` });
    fields[field] = meant;
    typed.set(field, name);
  }
  const { parallel_chains: parallelChains, ...others } = fields;
  if (parallelChains === undefined) return { fields, typed, problems };
  const read = readArguments([PARALLEL_CHAINS], { parallel_chains: parallelChains });
  if ('problems' in read) problems.push(...withTypedNames(read.problems, typed));
  return { fields: others, typed, problems, parallelChains: Number(parallelChains) };
}

/** The argument of the engine, and its value; undefined if the value stands for a default. */
function engineArgument(means: string, value: unknown, given: Fields): readonly [string, unknown] {
  if (means === 'algorithm') {
    if (typeof value === 'boolean') return [means, value ? 'fixed_param' : undefined];
    return [means, typeof value === 'string' ? value.toLowerCase() : value];
  }
  if (means === 'init' && typeof value === 'number') return ['init_radius', value];
  if (means === 'save' && typeof value === 'string') return [means, [value]];
  // A single path has no draws that are resampled among paths.
  if (means === 'num_psis_draws' && given.num_paths === 1) return ['num_draws', value];
  return [means, value];
}

/** Names of everything that the engine accepts for a method. */
function ownNames(method: MethodName): ReadonlySet<string> {
  const { algorithms, inputs, selectors } = methodNamed(method);
  const args = [...algorithms.flatMap(argumentsOf), ...selectors].map(({ name }) => name);
  return new Set([...args, ...inputs, ...OTHER_FIELDS]);
}

/** The packages' name of a method. */
function title(method: MethodName): string {
  return method === 'generate' ? 'generate_quantities' : method;
}

/** Problems with the names that were typed. */
export function withTypedNames(
  problems: readonly ArgumentProblem[],
  typed: ReadonlyMap<string, string>,
): readonly ArgumentProblem[] {
  return problems.map((problem) => ({ ...problem, field: typed.get(problem.field) ?? problem.field }));
}
