import { norm } from '../../linear/vectors.js';
import { streamText } from '../../number-text.js';
import { type Curvature, DenseCurvature, LimitedCurvature } from '../../optimization/curvature.js';
import { Objective } from '../../optimization/objective.js';
import { QuasiNewton, RESULTS, type StepResult } from '../../optimization/quasi-newton.js';
import { type Algorithm, type Chain, failed, type Outcome } from '../algorithm.js';
import { commonArguments, type Settings, threadsArgument } from '../arguments.js';
import { DrawRecorder } from '../draw-recorder.js';
import { historyArgument, optimizeArguments, quasiNewtonArguments } from './arguments.js';
import { COLUMNS, TERMINATED_NORMALLY, TERMINATED_WITH_ERROR } from './end.js';
import { densityOf, startingPoint, tolerancesOf } from './start.js';

export const lbfgs: Algorithm = {
  name: 'lbfgs',
  functionName: 'stan::services::optimize::lbfgs',
  description: 'Finds a mode of the density by the limited-memory quasi-Newton method L-BFGS.',
  arguments: [...commonArguments, ...optimizeArguments, ...quasiNewtonArguments, historyArgument, threadsArgument],
  inputs: ['init'],
  draws: 'all',
  drawColumns: COLUMNS,
  leadingRows: 'all but the last',
  diagnosticColumns: () => [],
  run: (settings, chain) => run(settings, chain, new LimitedCurvature(settings.number('history_size'))),
};

export const bfgs: Algorithm = {
  name: 'bfgs',
  functionName: 'stan::services::optimize::bfgs',
  description: 'Finds a mode of the density by the quasi-Newton method BFGS.',
  arguments: [...commonArguments, ...optimizeArguments, ...quasiNewtonArguments, threadsArgument],
  inputs: ['init'],
  draws: 'all',
  drawColumns: COLUMNS,
  leadingRows: 'all but the last',
  diagnosticColumns: () => [],
  run: (settings, chain) => run(settings, chain, new DenseCurvature(chain.target.dimension)),
};

function run(settings: Settings, chain: Chain, curvature: Curvature): Outcome {
  const { interrupt, sink, target } = chain;
  const position = startingPoint(chain, settings);
  if (!(position instanceof Float64Array)) return position;
  const messages: string[] = [];
  const objective = new Objective(densityOf(chain, settings), (text) => messages.push(text));
  const start = objective.newPoint();
  start.position.set(position);
  if (!objective.evaluate(start)) {
    for (const text of messages) sink.log('info', text);
    return failed(chain, 'Error evaluating initial BFGS point.');
  }
  const minimizer = new QuasiNewton({
    objective,
    start,
    curvature,
    tolerances: tolerancesOf(settings, settings.number('iter')),
    initialStep: settings.number('init_alpha'),
  });
  sink.log('info', `Initial log joint probability = ${streamText(-start.value)}`);

  let result: StepResult = 'continues';
  const recorder = new DrawRecorder(COLUMNS.length, target, sink);
  const record = () => {
    recorder.columns.set([-minimizer.point.value, RESULTS[result].code]);
    return recorder.record(minimizer.point.position);
  };
  const saves = settings.flag('save_iterations');
  const refresh = settings.number('refresh');
  const total = settings.number('iter');
  let failure = saves ? record() : undefined;
  while (result === 'continues' && failure === undefined) {
    if (interrupt()) return { status: 'interrupted' };
    const isDue = () => minimizer.iteration === 0 || (minimizer.iteration + 1) % refresh === 0;
    if (refresh > 0 && isDue()) sink.log('info', HEADING);
    result = minimizer.advance();
    if (refresh > 0 && (result !== 'continues' || minimizer.note !== '' || isDue())) {
      sink.progress({ iteration: minimizer.iteration, total, text: progressText(minimizer, objective.evaluations) });
    }
    if (messages.length > 0) sink.log('info', messages.splice(0).join('\n'));
    if (objective.error !== undefined) return failed(chain, objective.error.message);
    if (saves) failure = record();
  }
  failure ??= saves ? undefined : record();
  if (failure !== undefined) return failed(chain, failure.message);

  const words = `  ${RESULTS[result].text}`;
  if (result === 'no step') {
    sink.log('error', TERMINATED_WITH_ERROR);
    sink.remark(TERMINATED_WITH_ERROR + RESULTS[result].text);
    return failed(chain, words);
  }
  sink.log('info', TERMINATED_NORMALLY);
  sink.log('info', words);
  sink.remark(TERMINATED_NORMALLY + RESULTS[result].text);
  return { status: 'completed' };
}

const HEADING = '    Iter      log prob        ||dx||      ||grad||       alpha      alpha0  # evals  Notes ';

function progressText(minimizer: QuasiNewton, evaluations: number): string {
  const wide = (value: number) => streamText(value).padStart(12);
  const narrow = (value: number) => streamText(value, 4).padStart(10);
  const { firstStep, iteration, moved, note, point, step } = minimizer;
  const numbers = [
    String(iteration).padStart(7),
    wide(-point.value),
    wide(moved),
    wide(norm(point.gradient)),
    narrow(step),
    narrow(firstStep),
    String(evaluations).padStart(7),
  ];
  return `${numbers.map((text) => ` ${text} `).join('')} ${note} `;
}
