import { initialize } from '../initialize.js';
import type { Algorithm, Chain, Outcome } from './algorithm.js';
import { commonArguments, drawArguments, type Settings } from './arguments.js';
import { DrawRecorder } from './draw-recorder.js';
import { elapsedLines, runIterations, stopwatch } from './iterations.js';

const COLUMNS = ['lp__', 'accept_stat__'];

/** Evaluates generated quantities repeatedly at the initial values. */
export const fixedParam: Algorithm = {
  name: 'fixed_param',
  functionName: 'stan::services::sample::fixed_param',
  description: 'Keeps the parameters at their initial values and draws the generated quantities in each iteration.',
  arguments: [...commonArguments, ...drawArguments],
  inputs: ['init'],
  draws: 'all',
  drawColumns: COLUMNS,
  diagnosticColumns: () => [...COLUMNS],
  run,
};

function run(settings: Settings, { target, initial, rng, sink, interrupt, clock }: Chain): Outcome {
  const radius = settings.number('init_radius');
  const start = initialize({ density: target, initial, radius, rng, sink, clock, reportTiming: false });
  if ('problem' in start) {
    sink.log('error', start.problem);
    return { status: 'failed', message: start.problem };
  }

  const count = settings.number('num_samples');
  const recorder = new DrawRecorder(COLUMNS.length, target, sink);
  const diagnostics = new Float64Array(COLUMNS.length);
  const record = (): Outcome | undefined => {
    const failure = recorder.record(start.position);
    if (failure !== undefined) {
      sink.log('error', failure.message);
      return { status: 'failed', message: failure.message };
    }
    sink.diagnostic(diagnostics);
    return undefined;
  };
  const elapsed = stopwatch(clock);
  const ended = runIterations(
    {
      phase: 'sampling',
      count,
      before: 0,
      total: count,
      thin: settings.number('num_thin'),
      refresh: settings.number('refresh'),
      save: true,
    },
    sink,
    interrupt,
    () => undefined,
    record,
  );
  if (ended === undefined || ended.status === 'interrupted') sink.elapsed(elapsedLines(0, elapsed()));
  return ended ?? { status: 'completed' };
}
