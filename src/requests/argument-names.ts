/** Arguments by the names of any Stan interface, for the packages for Python and R. */
import { type ArgumentProblem, countArgument, readArguments } from '../inference/algorithms/arguments.js';
import { nearestName } from '../language/suggestion.js';
import { COMPILE_ARGUMENTS } from './compile-arguments.js';
import { expandArguments } from './compound-arguments.js';
import { type Advice, FOREIGN_ARGUMENTS, type ForeignArgument } from './foreign-arguments.js';
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

/** Maximum share of a name's length that may be mistyped: other arguments would not be suggested, but guessed. */
const MISTYPED = 1 / 3;

/** Converts arguments of a method to the names of the engine. Arguments that are undefined are absent. */
export function nameArguments(method: MethodName, given: Fields, caller: Caller): NamedArguments {
  const rows = FOREIGN_ARGUMENTS.filter(({ methods }) => methods.includes(method));
  const warmups = rows.flatMap(({ means, name }) => (means === 'num_warmup' ? [name] : []));
  const expanded =
    method === 'sample'
      ? expandArguments(given, new Set(warmups))
      : { given, from: new Map<string, string>(), problems: [] };
  const named = renameArguments(title(method), rows, ownNames(method), expanded.given, caller);
  const typed = new Map([...named.typed].map(([field, name]) => [field, expanded.from.get(name) ?? name]));
  const problems = [...expanded.problems, ...withTypedNames(named.problems, expanded.from)];
  const { parallel_chains: parallelChains, ...others } = named.fields;
  if (parallelChains === undefined) return { fields: named.fields, typed, problems };
  const read = readArguments([PARALLEL_CHAINS], { parallel_chains: parallelChains });
  if ('problems' in read) problems.push(...withTypedNames(read.problems, typed));
  return { fields: others, typed, problems, parallelChains: Number(parallelChains) };
}

/** Converts arguments for compiling a program. */
export function nameCompileArguments(given: Fields, caller: Caller): NamedArguments {
  return renameArguments('compile', COMPILE_ARGUMENTS, new Set(['program', 'name', 'include_paths']), given, caller);
}

/** Converts arguments by a table; `own` has the names that are accepted unchanged. */
function renameArguments(
  title: string,
  table: readonly Omit<ForeignArgument, 'methods'>[],
  own: ReadonlySet<string>,
  given: Fields,
  caller: Caller,
): NamedArguments {
  const rows = new Map(table.map((row) => [row.name, row]));
  const fields: Record<string, unknown> = {};
  const typed = new Map<string, string>();
  const problems: ArgumentProblem[] = [];
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined) continue;
    const row = rows.get(name);
    if (row?.instead !== undefined) {
      const advice = typeof row.instead === 'string' ? row.instead : row.instead[caller];
      const message = `is not an argument of ${title}: ${advice}.`;
      if (!row.harmless?.some((each) => JSON.stringify(each) === JSON.stringify(value)))
        problems.push({ field: name, message });
      continue;
    }
    if (row === undefined && !own.has(name)) {
      const accepted = table.flatMap((each) => (each.instead === undefined ? [each.name] : []));
      const nearest = nearestName(name, [...own, ...accepted], MISTYPED);
      const hint = nearest === undefined ? '' : ` Did you mean ${nearest}?`;
      problems.push({ field: name, message: `is not an argument of ${title}.${hint}` });
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
  return { fields, typed, problems };
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
