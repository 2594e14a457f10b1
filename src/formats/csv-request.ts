/** Reads the function and arguments of a run from the comments at the start of a CSV file of CmdStan or Leapfrog. */
import { algorithms } from '../inference/algorithms/registry.js';
import { functionArgument } from './cmdstan/values.js';
import { csvSetting, csvSettings } from './stan-csv.js';

export interface CsvRequest {
  /** Full name, `stan::services::…`; undefined if the comments do not identify it. */
  readonly function: string | undefined;
  /** The arguments in the comments, by their names in functions. They are not validated. */
  readonly arguments: Readonly<Record<string, string | number | boolean>>;
}

/** Reads the comments at the head of a file. */
export function csvRequest(head: readonly string[]): CsvRequest {
  const settings = csvSettings(head);
  const found = [...settings].map(([path, value]) => [argumentName(path.split('.')), readValue(value)] as const);
  return { function: functionOf(settings), arguments: Object.fromEntries(found) };
}

function argumentName(path: readonly string[]): string {
  if (path[0] === 'random') return 'random_seed';
  return path[0] === 'method' ? functionArgument(path.slice(2).join('.')) : path[path.length - 1];
}

function readValue(text: string): string | number | boolean {
  if (text === 'true' || text === 'false') return text === 'true';
  return text.trim() === '' || Number.isNaN(Number(text)) ? text : Number(text);
}

function functionOf(settings: ReadonlyMap<string, string>): string | undefined {
  const name = shortName(settings);
  return algorithms.find((algorithm) => algorithm.name === name)?.functionName;
}

function shortName(settings: ReadonlyMap<string, string>): string | undefined {
  const of = (names: string) => csvSetting(settings, names);
  const algorithm = of('algorithm');
  switch (settings.get('method')) {
    case 'sample': {
      if (algorithm !== 'hmc') return algorithm;
      const isAdapted = of('adapt.engaged') !== 'false' && of('adapt.engaged') !== '0';
      return `hmc_${of('engine')}_${of('metric')}${isAdapted ? '_adapt' : ''}`;
    }
    case 'optimize':
    case 'variational':
      return algorithm;
    case 'pathfinder':
      return of('num_paths') === '1' ? 'pathfinder_lbfgs_single' : 'pathfinder_lbfgs_multi';
    case 'laplace':
      return 'laplace_sample';
    case 'generate_quantities':
      return 'standalone_generate';
    default:
      return undefined;
  }
}
