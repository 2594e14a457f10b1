import { resample, smoothWeights } from '../../importance/pareto-smoothing.js';
import { fixedText, streamText } from '../../number-text.js';
import type { ApproximateDraws } from '../../pathfinder/path.js';
import { type Algorithm, type Chain, failed, type Outcome } from '../algorithm.js';
import { commonArguments, type Settings } from '../arguments.js';
import { DrawRecorder } from '../draw-recorder.js';
import { multiArguments, pathArguments } from './arguments.js';
import { runPath } from './single-path.js';

const COLUMNS = ['lp_approx__', 'lp__'];
/** Importance weights with heavier tails say that the approximation is poor. */
const LARGEST_K = 0.7;

export const pathfinderSingle: Algorithm = {
  name: 'pathfinder_lbfgs_single',
  functionName: 'stan::services::pathfinder::pathfinder_lbfgs_single',
  description: 'Draws from the best normal approximation along the path of an optimizer.',
  arguments: [...commonArguments, ...pathArguments],
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
  arguments: [...commonArguments, ...pathArguments, ...multiArguments],
  inputs: ['init'],
  draws: 'all',
  drawColumns: COLUMNS,
  diagnosticColumns: () => [],
  run: runMulti,
};

function runSingle(settings: Settings, chain: Chain): Outcome {
  const began = chain.clock();
  const path = runPath(settings, chain, chain.rng, settings.number('chain'));
  if (path.kind === 'interrupted') return { status: 'interrupted' };
  if (path.kind === 'failed') return failed(chain, path.message);
  const { logApproximate, logTarget } = path.draws;
  const { paretoK } = smoothWeights(logTarget.map((value, i) => value - logApproximate[i]));
  reportTail(chain, paretoK);
  return save(path.draws, path.draws.positions.keys(), chain) ?? finish(chain, began, 'Pathfinder');
}

function runMulti(settings: Settings, chain: Chain): Outcome {
  const { clock, sink, stream } = chain;
  const began = clock();
  const found: ApproximateDraws[] = [];
  let evaluations = 0;
  for (let index = 0; index < settings.number('num_paths'); index++) {
    const path = runPath(settings, chain, stream(index), settings.number('chain') + index);
    if (path.kind === 'interrupted') return { status: 'interrupted' };
    if (path.kind === 'draws') {
      found.push(path.draws);
      evaluations += path.evaluations;
      continue;
    }
    if (path.isFinal) return failed(chain, path.message);
    sink.log('error', path.message);
    sink.log('error', `Pathfinder iteration: ${index} failed.`);
  }
  if (found.length === 0) return failed(chain, 'No pathfinders ran successfully');
  if (settings.number('refresh') > 0) {
    sink.log('info', `Total log probability function evaluations:${evaluations}`);
  }
  const all: ApproximateDraws = {
    positions: found.flatMap(({ positions }) => positions),
    logApproximate: Float64Array.from(found.flatMap(({ logApproximate }) => [...logApproximate])),
    logTarget: Float64Array.from(found.flatMap(({ logTarget }) => [...logTarget])),
  };
  const resamples = settings.flag('psis_resample') && settings.flag('calculate_lp');
  const chosen = resamples ? chooseByImportance(all, settings, chain) : all.positions.keys();
  return save(all, chosen, chain) ?? finish(chain, began, 'Total');
}

function chooseByImportance(draws: ApproximateDraws, settings: Settings, chain: Chain): Iterable<number> {
  const { weights, paretoK } = smoothWeights(draws.logTarget.map((value, i) => value - draws.logApproximate[i]));
  reportTail(chain, paretoK);
  return resample(weights, settings.number('num_psis_draws'), chain.stream(settings.number('num_paths')));
}

function reportTail({ sink }: Chain, paretoK: number): void {
  sink.log('info', `Pareto k of the importance ratios: ${streamText(paretoK, 3)}`);
  if (!(paretoK > LARGEST_K)) return;
  sink.log(
    'warn',
    `Pareto k value (${streamText(paretoK, 2)}) is greater than ${LARGEST_K}. Importance resampling was not able to improve ` +
      'the approximation, which may indicate that the approximation itself is poor.',
  );
}

/** Emits draws; returns how the run ended when it ended here. */
function save(draws: ApproximateDraws, chosen: Iterable<number>, chain: Chain): Outcome | undefined {
  const { interrupt, sink, target } = chain;
  const recorder = new DrawRecorder(COLUMNS.length, target, sink);
  for (const index of chosen) {
    if (interrupt()) return { status: 'interrupted' };
    recorder.columns[0] = draws.logApproximate[index];
    recorder.columns[1] = draws.logTarget[index];
    const failure = recorder.record(draws.positions[index]);
    if (failure !== undefined) return failed(chain, failure.message);
  }
  return undefined;
}

function finish({ clock, sink }: Chain, began: number, what: string): Outcome {
  sink.remark('');
  sink.remark(`Elapsed Time: ${fixedText(clock() - began, 6)} seconds (${what})`);
  sink.remark('');
  return { status: 'completed' };
}
