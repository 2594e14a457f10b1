import { streamText } from '../../number-text.js';
import { newtonStep } from '../../optimization/newton.js';
import { Objective } from '../../optimization/objective.js';
import { RESULTS, type StepResult } from '../../optimization/quasi-newton.js';
import { type Algorithm, type Chain, failed, type Outcome } from '../algorithm.js';
import { commonArguments, type Settings, threadsArgument } from '../arguments.js';
import { DrawRecorder } from '../draw-recorder.js';
import { optimizeArguments } from './arguments.js';
import { COLUMNS, TERMINATED_NORMALLY } from './end.js';
import { densityOf, startingPoint } from './start.js';

/** Newton's method has converged if the log density increases by at most this. */
const CONVERGED = 1e-8;

export const newton: Algorithm = {
  name: 'newton',
  functionName: 'stan::services::optimize::newton',
  description:
    "Finds a mode of the density by Newton's method. Second derivatives are exact, or differences of gradients if they cannot be compiled.",
  arguments: [...commonArguments, ...optimizeArguments, threadsArgument],
  inputs: ['init'],
  takesHessian: true,
  matrices: 4,
  draws: 'all',
  drawColumns: COLUMNS,
  leadingRows: 'all but the last',
  diagnosticColumns: () => [],
  run,
};

function run(settings: Settings, chain: Chain): Outcome {
  const { interrupt, sink, target } = chain;
  const position = startingPoint(chain, settings);
  if (!(position instanceof Float64Array)) return position;
  const density = densityOf(chain, settings);
  const objective = new Objective(density, (text) => sink.log('info', text));
  const point = objective.newPoint();
  point.position.set(position);
  if (!objective.evaluate(point)) return failed(chain, 'Error evaluating the initial point.');
  // Stan includes the constants of the density here and drops them in every step.
  let value = density.logDensity(position);
  sink.log('info', `Initial log joint probability = ${streamText(value)}`);

  let result: StepResult = 'continues';
  const recorder = new DrawRecorder(COLUMNS.length, target, sink);
  const record = () => {
    recorder.columns.set([value, RESULTS[result].code]);
    return recorder.record(point.position);
  };
  const total = settings.number('iter');
  for (let iteration = 1; iteration <= total; iteration++) {
    const failure = settings.flag('save_iterations') ? record() : undefined;
    if (failure !== undefined) return failed(chain, failure.message);
    if (interrupt()) return { status: 'interrupted' };
    const before = value;
    const moved = newtonStep(objective, point);
    if (objective.error !== undefined) return failed(chain, objective.error.message);
    value = -point.value;
    const gain = value - before;
    const count = String(iteration).padStart(2);
    const reached = streamText(value).padStart(10);
    const text = `Iteration ${count}. Log joint probability = ${reached}. Improved by ${streamText(gain)}.`;
    sink.progress({ iteration, total, text });
    if (!moved || Math.abs(gain) <= CONVERGED) {
      result = 'objective';
      break;
    }
  }
  if (result === 'continues') result = 'iterations';
  const failure = record();
  if (failure !== undefined) return failed(chain, failure.message);
  sink.remark(TERMINATED_NORMALLY + RESULTS[result].text);
  return { status: 'completed' };
}
