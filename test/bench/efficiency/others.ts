import { execFileSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ROOT } from '../../project/tree.js';
import { isOutOfTime, limited } from '../limited.js';
import { Oracle } from '../oracle.js';
import { elapsed } from './leapfrog.js';
import { CHAINS, type Engine, type Failure, type SamplerRun, sum } from './run.js';

const SCRIPT = join(ROOT, 'test/bench/efficiency/peers.py');
const ONE_RUN = fileURLToPath(new URL('one-run.js', import.meta.url));

/** How other engines are measured. */
export interface OtherOptions {
  /** Whether programs of real Stan are rebuilt to measure their compilation. */
  readonly measuresCompilation: boolean;
  /** Maximum processor time of four chains, in seconds. */
  readonly limit: number;
}

/** An engine of `peers.py`, run by the Python interpreter that LEAPFROG_PEER_PYTHON names. */
export function peer(name: string, { limit }: OtherOptions): Engine {
  let scratch: string | undefined;
  return ({ data, program }, seed) => {
    scratch ??= process.env.LEAPFROG_PEER_SCRATCH ?? mkdtempSync(join(tmpdir(), 'leapfrog-peers-'));
    const python = process.env.LEAPFROG_PEER_PYTHON ?? 'python3';
    return attempt(limit, () => {
      const [command, arguments_] = limited(limit, [python, SCRIPT, name, program, data, String(seed), scratch ?? '']);
      const output = execFileSync(command, arguments_, {
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'pipe'],
        maxBuffer: 2 ** 30,
      });
      // Print statements of programs precede the result.
      return asRun(JSON.parse(output.slice(output.indexOf('{"gradients"'))));
    });
  };
}

/** A sampler of Leapfrog in a separate process, so that it does not benefit from code that a previous run has warmed up. */
export function ownProcess(algorithm: string, given: Readonly<Record<string, unknown>> = {}): Engine {
  return ({ program }, seed) => {
    const arguments_ = [ONE_RUN, algorithm, JSON.stringify(given), dirname(program), String(seed)];
    const output = execFileSync(process.execPath, arguments_, { encoding: 'utf8', maxBuffer: 2 ** 30 });
    const found: PeerRun | Failure = JSON.parse(output);
    return 'failure' in found ? found : asRun(found);
  };
}

function asRun(found: PeerRun): SamplerRun {
  const draws = Object.entries(found.draws).map(([column, chains]): [string, Float64Array[]] => [
    column,
    chains.map((values) => Float64Array.from(values, (value) => value ?? Number.NaN)),
  ]);
  return { ...found, draws: new Map(draws) };
}

type PeerRun = Omit<SamplerRun, 'draws'> & {
  /** JSON contains null for non-finite numbers. */
  readonly draws: Readonly<Record<string, readonly (readonly (number | null)[])[]>>;
};

/**
 * `hmc_nuts_diag_e_adapt` of real Stan, if it is set up. Gradients of warmup come from a second run that saves it. Programs that have been
 * built before are rebuilt to measure their compilation, unless compilation is not measured.
 */
export function realStan({ limit, measuresCompilation }: OtherOptions): Engine {
  const oracle = Oracle.find();
  const built = new Map<string, BuiltProgram>();
  return ({ data, program, text }, seed) => {
    if (oracle === null) return { failure: 'real Stan is not set up' };
    return attempt(limit, () => {
      const model = built.get(text) ?? (measuresCompilation ? oracle.compileOnProcessor(text) : { program });
      built.set(text, model);
      oracle.build(model.program);
      return fourChains(oracle, model, data, seed, limit / CHAINS);
    });
  };
}

interface BuiltProgram {
  readonly program: string;
  /** Processor seconds of compilation. */
  readonly seconds?: number;
}

function fourChains(
  oracle: Oracle,
  { program, seconds }: BuiltProgram,
  data: string,
  seed: number,
  limit: number,
): SamplerRun {
  const runs = Array.from({ length: CHAINS }, (_, k) => {
    const chain = (...options: string[]) =>
      stanDraws(oracle.draws(program, data, ['--seed', String(seed), '--chain', String(k + 1), ...options], limit));
    return { kept: chain(), warmup: chain('--save_warmup', '1', '--num_samples', '0') };
  });
  const steps = (drawn: StanDraws): number => sum(drawn.column('n_leapfrog__'));
  const [{ kept }] = runs;
  return {
    gradients: {
      warmup: sum(runs.map(({ warmup }) => steps(warmup))),
      sampling: sum(runs.map((run) => steps(run.kept))),
    },
    seconds: {
      ...(seconds !== undefined && { compilation: seconds }),
      warmup: sum(runs.map((run) => run.kept.seconds.warmup)),
      sampling: sum(runs.map((run) => run.kept.seconds.sampling)),
    },
    divergences: sum(runs.flatMap((run) => run.kept.column('divergent__'))),
    draws: new Map(
      kept.names.map((name) => [name, runs.map((run) => Float64Array.from(run.kept.column(name)))] as const),
    ),
  };
}

type StanDraws = ReturnType<typeof stanDraws>;

/** Reads the draws of real Stan; throws if the chain has no draws, for example because it found no initial values. */
function stanDraws(csv: string) {
  const lines = csv.split('\n').filter((line) => line !== '');
  const [header, ...values] = lines.filter((line) => !line.startsWith('#'));
  if (values.length === 0) throw new Error('a chain has no draws');
  const names = header.split(',');
  const rows = values.map((line) => line.split(',').map(Number));
  const column = (name: string): number[] => {
    const place = names.indexOf(name);
    return rows.map((row) => row[place]);
  };
  return { names, rows, column, seconds: elapsed(lines) };
}

/** The run, or the reason for its failure. */
function attempt(limit: number, run: () => SamplerRun): SamplerRun | Failure {
  try {
    return run();
  } catch (error) {
    if (isOutOfTime(error)) return { failure: `more than ${limit} processor seconds`, limit };
    const lines = error instanceof Error ? error.message.trimEnd().split('\n') : [String(error)];
    return { failure: lines.at(-1)?.slice(0, 200) ?? '' };
  }
}
