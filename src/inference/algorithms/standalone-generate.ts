import { type Algorithm, type Chain, failed, type Outcome } from './algorithm.js';
import { commonArguments, type Settings } from './arguments.js';
import { logGenerationTime, stopwatch } from './iterations.js';

/** Computes generated quantities of the program for existing draws of this program, or of another program with the same parameters. */
export const standaloneGenerate: Algorithm = {
  name: 'standalone_generate',
  functionName: 'stan::services::standalone_generate',
  description: 'Computes the generated quantities for draws of an earlier fit or in the request.',
  arguments: commonArguments.filter(({ name }) => name !== 'init_radius'),
  inputs: ['fitted_params'],
  draws: 'generated quantities',
  drawColumns: [],
  diagnosticColumns: () => [],
  run,
};

function run(settings: Settings, chain: Chain): Outcome {
  const { clock, fittedParameters, interrupt, sink, target } = chain;
  if (fittedParameters === undefined || fittedParameters.count === 0) {
    return failed(chain, 'Empty set of draws from fitted model.');
  }
  if (target.generatedFrom === target.drawLength) {
    return failed(chain, "Model doesn't generate any quantities of interest.");
  }
  const { count: total } = fittedParameters;
  const refresh = settings.number('refresh');
  const position = new Float64Array(target.dimension);
  const draw = new Float64Array(target.drawLength);
  const generated = draw.subarray(target.generatedFrom);
  const elapsed = stopwatch(clock);
  for (let index = 0; index < total; index++) {
    if (interrupt()) return { status: 'interrupted' };
    const problem = fittedParameters.read(index, position);
    if (problem !== undefined) return failed(chain, problem.message);
    const failure = target.writeDraw(position, draw, 0);
    const printed = target.takePrinted();
    if (printed !== '') sink.log('info', printed);
    if (failure !== undefined) {
      sink.log('info', failure.message);
      if (failure.kind === 'error') return failed(chain, failure.message);
    }
    sink.draw(generated);
    if (refresh > 0 && ((index + 1) % refresh === 0 || index + 1 === total)) {
      sink.progress({ iteration: index + 1, total, text: `Draw: ${index + 1} / ${total}` });
    }
  }
  logGenerationTime(elapsed(), sink);
  return { status: 'completed' };
}
