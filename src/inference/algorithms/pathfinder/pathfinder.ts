import { POOR_DRAWS, smoothAndReport } from '../../importance/pareto-report.js';
import { resample } from '../../importance/pareto-smoothing.js';
import { fixedText } from '../../number-text.js';
import type { ApproximateDraws } from '../../pathfinder/path.js';
import { type Algorithm, type Chain, failed, type Outcome } from '../algorithm.js';
import { commonArguments, type Settings, threadsArgument } from '../arguments.js';
import { DrawRecorder } from '../draw-recorder.js';
import { multiArguments, pathArguments } from './arguments.js';
import { runPath } from './single-path.js';

const COLUMNS = ['lp_approx__', 'lp__', 'path__'];

export const pathfinderSingle: Algorithm = {
  name: 'pathfinder_lbfgs_single',
  functionName: 'stan::services::pathfinder::pathfinder_lbfgs_single',
  description: 'Draws from the best normal approximation along the path of an optimizer.',
  arguments: [...commonArguments, ...pathArguments, threadsArgument],
  inputs: ['init'],
  draws: 'all',
  drawColumns: COLUMNS,
  diagnosticColumns: () => [],
  run: runSingle,
};

export const pathfinderMulti: Algorithm = {
  name: 'pathfinder_lbfgs_multi',
  functionName: 'stan::services::pathfinder::pathfinder_lbfgs_multi',
  description: 'Draws from the best normal approximations of several paths, resampled by importance.',
  arguments: [...commonArguments, ...pathArguments, ...multiArguments, threadsArgument],
  inputs: ['init'],
  draws: 'all',
  drawColumns: COLUMNS,
  diagnosticColumns: () => [],
  run: runMulti,
};

/** The draws of one path, and the number of the path in `path__`. */
interface PathDraws {
  readonly number: number;
  readonly draws: ApproximateDraws;
  readonly evaluations: number;
}

/** A draw of a path. */
interface Choice {
  readonly path: PathDraws;
  readonly index: number;
}

function runSingle(settings: Settings, chain: Chain): Outcome {
  const { clock, initial, rng, sink } = chain;
  const began = clock();
  const isEmpty = refuseEmpty(chain);
  if (isEmpty !== undefined) return isEmpty;
  const number = settings.number('chain');
  const path = runPath(settings, chain, { initial, number, rng });
  if (path.kind === 'interrupted') return { status: 'interrupted' };
  if (path.kind === 'failed') return failed(chain, path.message);
  const { draws, evaluations } = path;
  const found = [{ number, draws, evaluations }];
  if (settings.flag('calculate_lp')) smoothAndReport(logRatios(found), sink, POOR_DRAWS);
  return save(choicesOf(found), chain) ?? finish(chain, [[clock() - began, 'Pathfinder']]);
}

function runMulti(settings: Settings, chain: Chain): Outcome {
  const { clock, sink } = chain;
  const began = clock();
  const isEmpty = refuseEmpty(chain);
  if (isEmpty !== undefined) return isEmpty;
  const count = settings.number('num_paths');
  if (settings.number('num_psis_draws') > settings.number('num_draws') * count) sink.log('warn', MANY_RESAMPLES);
  const found = runPaths(settings, chain);
  if ('status' in found) return found;
  if (found.length === 0) return failed(chain, 'No pathfinders ran successfully.');
  if (found.length < count) sink.log('warn', `Only ${found.length} of the ${count} pathfinders succeeded.`);
  if (settings.number('refresh') > 0) {
    const evaluations = found.reduce((sum, path) => sum + path.evaluations, 0);
    sink.log('info', `Total log probability function evaluations:${evaluations}`);
  }
  const paths = clock() - began;
  const choices = choicesOf(found);
  if (!settings.flag('psis_resample') || !settings.flag('calculate_lp')) {
    return save(choices, chain) ?? finish(chain, [[paths, 'Total']]);
  }
  const { paretoK, weights } = smoothAndReport(logRatios(found), sink, RESAMPLED_IN_VAIN);
  if (Number.isNaN(paretoK) && weights.length >= SMALLEST_SAMPLE) sink.log('warn', NO_TAIL);
  const chosen = resample(weights, settings.number('num_psis_draws'), chain.stream(count));
  const ended = save(
    Array.from(chosen, (index) => choices[index]),
    chain,
  );
  const total = clock() - began;
  const times: [number, string][] = [
    [paths, 'Pathfinders'],
    [total - paths, 'PSIS'],
    [total, 'Total'],
  ];
  return ended ?? finish(chain, times);
}

/** The paths that returned draws, or the outcome if the run has ended. */
function runPaths(settings: Settings, chain: Chain): PathDraws[] | Outcome {
  const { initialAt, sink, stream } = chain;
  const found: PathDraws[] = [];
  for (let index = 0; index < settings.number('num_paths'); index++) {
    const number = settings.number('chain') + index;
    const path = runPath(settings, chain, { initial: initialAt(index), number, rng: stream(index) });
    if (path.kind === 'interrupted') return { status: 'interrupted' };
    if (path.kind === 'draws') {
      const { draws, evaluations } = path;
      found.push({ number, draws, evaluations });
      continue;
    }
    if (path.isFinal) return failed(chain, path.message);
    sink.log('error', path.message);
    sink.log('error', `Pathfinder iteration: ${index} failed.`);
  }
  return found;
}

function refuseEmpty(chain: Chain): Outcome | undefined {
  return chain.target.dimension === 0 ? failed(chain, 'Model has 0 parameters, cannot run Pathfinder.') : undefined;
}

function choicesOf(paths: readonly PathDraws[]): Choice[] {
  return paths.flatMap((path) => path.draws.positions.map((_, index) => ({ path, index })));
}

function logRatios(paths: readonly PathDraws[]): Float64Array {
  return Float64Array.from(
    paths.flatMap(({ draws: { logApproximate, logTarget } }) =>
      Array.from(logTarget, (value, i) => value - logApproximate[i]),
    ),
  );
}

/** Emits draws. Returns the outcome if the run has ended. */
function save(choices: readonly Choice[], chain: Chain): Outcome | undefined {
  const { interrupt, sink, target } = chain;
  const recorder = new DrawRecorder(COLUMNS.length, target, sink);
  for (const { index, path } of choices) {
    if (interrupt()) return { status: 'interrupted' };
    const { logApproximate, logTarget, positions } = path.draws;
    recorder.columns.set([logApproximate[index], logTarget[index], path.number]);
    const failure = recorder.record(positions[index]);
    if (failure !== undefined) return failed(chain, failure.message);
  }
  return undefined;
}

/** Logs the duration of each part in seconds. */
function finish({ sink }: Chain, times: readonly (readonly [number, string])[]): Outcome {
  sink.remark('');
  times.forEach(([seconds, what], index) => {
    const heading = index === 0 ? HEADING : ' '.repeat(HEADING.length);
    sink.remark(`${heading}${fixedText(seconds, 6)} seconds (${what})`);
  });
  sink.remark('');
  return { status: 'completed' };
}

const HEADING = 'Elapsed Time: ';
/** Minimum number of draws for an estimate of the tail. */
const SMALLEST_SAMPLE = 25;
const RESAMPLED_IN_VAIN =
  'Importance resampling was not able to improve the approximation, which may indicate that the approximation itself is poor.';
const NO_TAIL =
  'In PSIS Weight Calculation: Difference between the tails is 0.000000 which is too small for estimating the generalized ' +
  'pareto values. Returning non-pareto smoothed weights.';
const MANY_RESAMPLES =
  'Warning: Number of PSIS draws is larger than the total number of draws returned by the single Pathfinders. This is likely ' +
  'unintentional and leads to re-sampling from the same draws.';
