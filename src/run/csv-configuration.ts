/**
 * The comments that open a CSV file of CmdStan: versions, the model, and every argument of the run in the tree of CmdStan's
 * command line, those with their default value marked. The arguments are those of the algorithms' own tables; what
 * CmdStan's tree has beside them stands here.
 */
import type { Algorithm } from '../inference/algorithms/algorithm.js';
import type { Argument, ArgumentValue } from '../inference/algorithms/arguments.js';
import { algorithms, findAlgorithm } from '../inference/algorithms/registry.js';
import { streamText } from '../inference/number-text.js';

/** What a fit was asked for. */
export interface FitRequestRecord {
  readonly function: string;
  readonly arguments: Readonly<Record<string, ArgumentValue>>;
  readonly seed: number;
  readonly created: string;
  /** What tells a run of the command line from all others; its files carry it. */
  readonly run?: string;
}

/** What is known of a run whose input and output are files. */
export interface CsvFiles {
  readonly data?: string;
  readonly init?: string;
  readonly mode?: string;
  readonly fitted_params?: string;
  readonly metric?: string;
  readonly output?: string;
  readonly diagnostic?: string;
  /** Of the numbers; 17 unless given, which says that they read back as the same. */
  readonly significantDigits?: number;
  /** Chains of the run; those in the file unless given. */
  readonly chains?: number;
}

/** What CmdStan writes unless told. */
export const USUAL_SIGNIFICANT_DIGITS = 8;

/** The configuration at the head of CmdStan's files, as comments. `chains` are the ids of those in the file. */
export function csvConfiguration(
  record: FitRequestRecord,
  model: string,
  chains: readonly number[],
  files: CsvFiles = {},
): string {
  const algorithm = findAlgorithm(record.function);
  if (algorithm === undefined) throw new Error(`no function ${record.function}`);
  const tree = new Tree(algorithm, record, chains, files);
  const lines = [
    'stan_version_major = 2',
    'stan_version_minor = 39',
    'stan_version_patch = 0',
    `model = ${model}_model`,
    `start_datetime = ${record.created.slice(0, 19).replace('T', ' ')} UTC`,
    ...(record.run === undefined ? [] : [`run_id = ${record.run}`]),
    ...tree.nodes().flatMap((node) => linesOf(node, 0)),
    'stanc_version = stanc3 v2.39.0',
    'stancflags = ',
  ];
  return lines.map((line) => `# ${line}\n`).join('');
}

/** A line of the tree and what stands under it. */
interface Node {
  readonly text: string;
  readonly nodes: readonly Node[];
}

function linesOf({ text, nodes }: Node, depth: number): string[] {
  return [' '.repeat(2 * depth) + text, ...nodes.flatMap((node) => linesOf(node, depth + 1))];
}

const OPTIMIZERS = ['lbfgs', 'bfgs', 'newton'];
const VARIATIONAL = ['meanfield', 'fullrank'];
const TOLERANCES = ['init_alpha', 'tol_obj', 'tol_rel_obj', 'tol_grad', 'tol_rel_grad', 'tol_param'];

/** CmdStan's tree of arguments for one run. */
class Tree {
  private readonly algorithm: Algorithm;
  private readonly record: FitRequestRecord;
  private readonly chains: readonly number[];
  private readonly files: CsvFiles;

  constructor(algorithm: Algorithm, record: FitRequestRecord, chains: readonly number[], files: CsvFiles) {
    this.algorithm = algorithm;
    this.record = record;
    this.chains = chains;
    this.files = files;
  }

  nodes(): Node[] {
    const { chains, files, record } = this;
    return [
      ...this.method(),
      value('id', chains[0] ?? 1, 1),
      group('data', value('file', files.data ?? '', '')),
      files.init === undefined ? this.leaf('init', 'init_radius') : value('init', files.init, '2'),
      group('random', value('seed', record.seed, undefined)),
      group(
        'output',
        value('file', files.output ?? 'output.csv', 'output.csv'),
        value('diagnostic_file', files.diagnostic ?? '', ''),
        this.leaf('refresh'),
        value('sig_figs', files.significantDigits ?? 17, USUAL_SIGNIFICANT_DIGITS),
        value('profile_file', 'profile.csv', 'profile.csv'),
        value('save_cmdstan_config', false, false),
      ),
      value('num_threads', 1, 1),
    ];
  }

  private method(): Node[] {
    const { name, functionName } = this.algorithm;
    if (functionName.includes('::sample::')) return this.choose('method', 'sample', 'sample', this.sample());
    if (OPTIMIZERS.includes(name)) return this.choose('method', 'optimize', 'sample', this.optimize());
    if (VARIATIONAL.includes(name)) return this.choose('method', 'variational', 'sample', this.variational());
    if (name.startsWith('pathfinder')) return this.choose('method', 'pathfinder', 'sample', this.pathfinder());
    if (name === 'laplace_sample') return this.choose('method', 'laplace', 'sample', this.laplace());
    if (name === 'diagnose') return this.choose('method', 'diagnose', 'sample', this.diagnose());
    return this.choose('method', 'generate_quantities', 'sample', this.generate());
  }

  /** An argument under CmdStan's name; under the table's unless told. */
  private leaf(name: string, argument = name): Node {
    const row = this.row(argument);
    const digits = row.type === 'number' ? REAL_DIGITS : INTEGER_DIGITS;
    return value(name, this.record.arguments[argument] ?? row.default ?? '', row.default, digits);
  }

  /** The argument of the algorithm, or of any other where the algorithm has no use for it. */
  private row(name: string): Argument {
    const row = [this.algorithm, ...algorithms].flatMap((each) => each.arguments).find((each) => each.name === name);
    if (row === undefined) throw new Error(`no argument ${name}`);
    return row;
  }

  private leaves(...names: readonly string[]): Node[] {
    return names.map((name) => this.leaf(name));
  }

  /** One of several, with what it has of its own. */
  private choose(name: string, chosen: string, usual: string, nodes: readonly Node[]): Node[] {
    const { text } = value(name, chosen, usual);
    return [{ text, nodes: [group(chosen, ...nodes)] }];
  }

  /** CmdStan's file names no metric here, but CmdStanPy looks for one: nothing moves, so it is the unit metric. */
  private fixed(): Node[] {
    return [{ ...value('algorithm', 'fixed_param', 'hmc'), nodes: [value('metric', 'unit_e', 'diag_e')] }];
  }

  private sample(): Node[] {
    const { name } = this.algorithm;
    const isFixed = name === 'fixed_param';
    const adapt = group(
      'adapt',
      value('engaged', isFixed || name.endsWith('_adapt'), true),
      ...this.leaves('gamma', 'delta', 'kappa', 't0', 'init_buffer', 'term_buffer', 'window'),
      value('save_metric', false, false),
    );
    return [
      ...this.leaves('num_samples', 'num_warmup', 'save_warmup'),
      this.leaf('thin', 'num_thin'),
      adapt,
      ...(isFixed ? this.fixed() : this.choose('algorithm', 'hmc', 'hmc', this.hmc())),
      this.numChains(),
    ];
  }

  private numChains(): Node {
    return value('num_chains', this.files.chains ?? this.chains.length, 1);
  }

  private hmc(): Node[] {
    const [, trajectory, metric] = /^hmc_(nuts|static)_(\w+?_e)/.exec(this.algorithm.name) ?? [];
    return [
      ...this.choose('engine', trajectory, 'nuts', [this.leaf(trajectory === 'nuts' ? 'max_depth' : 'int_time')]),
      value('metric', metric, 'diag_e'),
      value('metric_file', this.files.metric ?? '', ''),
      ...this.leaves('stepsize', 'stepsize_jitter'),
    ];
  }

  private optimize(): Node[] {
    const { name } = this.algorithm;
    const own = name === 'newton' ? [] : name === 'bfgs' ? TOLERANCES : [...TOLERANCES, 'history_size'];
    return [
      ...this.choose('algorithm', name, 'lbfgs', this.leaves(...own)),
      ...this.leaves('jacobian', 'iter', 'save_iterations'),
    ];
  }

  private variational(): Node[] {
    return [
      ...this.choose('algorithm', this.algorithm.name, 'meanfield', []),
      ...this.leaves('iter', 'grad_samples', 'elbo_samples', 'eta'),
      group('adapt', this.leaf('engaged', 'adapt_engaged'), this.leaf('iter', 'adapt_iterations')),
      ...this.leaves('tol_rel_obj', 'eval_elbo', 'output_samples'),
    ];
  }

  private pathfinder(): Node[] {
    const isSingle = this.algorithm.name.endsWith('single');
    return [
      ...this.leaves(...TOLERANCES, 'history_size'),
      this.leaf('num_psis_draws'),
      isSingle ? value('num_paths', 1, 4) : this.leaf('num_paths'),
      value('save_single_paths', false, false),
      ...this.leaves('psis_resample', 'calculate_lp', 'max_lbfgs_iters', 'num_draws', 'num_elbo_draws'),
    ];
  }

  private laplace(): Node[] {
    return [value('mode', this.files.mode ?? '', ''), ...this.leaves('jacobian', 'draws', 'calculate_lp')];
  }

  private diagnose(): Node[] {
    return this.choose('test', 'gradient', 'gradient', this.leaves('epsilon', 'error'));
  }

  private generate(): Node[] {
    return [value('fitted_params', this.files.fitted_params ?? '', ''), this.numChains()];
  }
}

function group(text: string, ...nodes: readonly Node[]): Node {
  return { text, nodes };
}

const REAL_DIGITS = 6;
const INTEGER_DIGITS = 17;

function value(
  name: string,
  given: ArgumentValue,
  usual: ArgumentValue | undefined,
  digits: number = INTEGER_DIGITS,
): Node {
  const text = typeof given === 'number' ? streamText(given, digits) : `${given}`;
  return group(`${name} = ${text}${given === usual ? ' (Default)' : ''}`);
}
