import { initialize } from '../../initialize.js';
import { norm } from '../../linear/vectors.js';
import { fixedText, scientificText } from '../../number-text.js';
import { Objective } from '../../optimization/objective.js';
import { RESULTS, type StepResult } from '../../optimization/quasi-newton.js';
import { type ApproximateDraws, Path } from '../../pathfinder/path.js';
import type { Rng } from '../../random/rng.js';
import type { InitialValues } from '../../target.js';
import type { Chain } from '../algorithm.js';
import type { Settings } from '../arguments.js';
import { tolerancesOf } from '../optimize/start.js';
import { startDetails, stepDetails } from './path-details.js';

/** The result of a path: draws, a failure, or an interruption. */
export type PathOutcome =
  /** `evaluations` is the number of evaluations of the log density, as Stan counts them. */
  | { readonly kind: 'draws'; readonly draws: ApproximateDraws; readonly evaluations: number }
  | { readonly kind: 'failed'; readonly message: string; readonly isFinal: boolean }
  | { readonly kind: 'interrupted' };

/** Runs one path from a starting point to draws of its best approximation, with Stan's messages. */
export function runPath(
  settings: Settings,
  chain: Chain,
  { initial, number, rng }: { initial: InitialValues; number: number; rng: Rng },
): PathOutcome {
  const { clock, detail, interrupt, sink, target } = chain;
  const label = `Path [${number}] :`;
  const fail = (message: string, isFinal = false): PathOutcome => ({ kind: 'failed', message, isFinal });
  const radius = settings.number('init_radius');
  const density = target.withoutJacobian;
  const begin = initialize({ density, initial, radius, rng, sink, clock, reportTiming: false });
  if ('problem' in begin) return fail(begin.problem);
  const messages: string[] = [];
  const objective = new Objective(target, (text) => messages.push(text));
  const start = objective.newPoint();
  start.position.set(begin.position);
  if (!objective.evaluate(start)) {
    for (const text of messages) sink.log('info', text);
    return fail('Error evaluating initial BFGS point.', true);
  }

  const refresh = settings.number('refresh');
  const total = settings.number('max_lbfgs_iters');
  if (refresh > 0) sink.log('info', `${label}Initial log joint density = ${fixedText(-start.value, 6)}`);
  let result: StepResult = 'continues';
  const log = (text: string) => {
    const place = result === 'continues' ? `Iter: [${minimizer.iteration}] ` : '';
    sink.log('info', `${label}${place}${text}`);
  };
  const path = new Path(objective, start, target, rng, pathSettings(settings), log);
  const { minimizer } = path;
  detail?.(startDetails(path.point));
  while (result === 'continues') {
    if (interrupt()) return { kind: 'interrupted' };
    const from = path.point;
    const advanced = path.advance();
    if (advanced !== 'no step') path.estimate();
    result = advanced;
    detail?.(
      stepDetails({
        iteration: minimizer.iteration,
        from,
        history: path.historySize,
        isTaken: result !== 'no step',
        approximation: result === 'no step' ? undefined : path.approximation,
        note: messages.join('\n'),
      }),
    );
    if (path.error !== undefined) return fail(path.error.message, true);
    const isDue = result !== 'continues' || minimizer.note !== '' || (minimizer.iteration + 1) % refresh === 0;
    if (refresh > 0 && isDue) {
      sink.progress({
        iteration: minimizer.iteration,
        total,
        text: `${label}${HEADING}${progressRow(path)}`,
      });
    }
    if (messages.length > 0) sink.log('info', messages.splice(0).join('\n'));
  }
  if (result === 'no step') {
    const words = `Optimization terminated with error: ${RESULTS[result].text}`;
    if (minimizer.iteration < 2) return fail(`${words} Optimization failed to start, pathfinder cannot be run.`);
    sink.log('warn', `${words} Stan will still attempt pathfinder but may fail or produce incorrect results.`);
  }
  const { best } = path;
  if (best === undefined) return fail(`${label}Failure: None of the LBFGS iterations completed successfully`);
  if (refresh > 0) {
    const evaluations = countedEvaluations(path);
    const words = `Best Iter: [${best.iteration}] ELBO (${fixedText(best.elbo, 6)}) evaluations: (${evaluations})`;
    sink.log('info', `${label}${words}`);
  }
  const wanted = settings.number('num_draws');
  const more = Math.max(0, wanted - best.draws.positions.length);
  const rest = path.draw(best.approximation, more, settings.flag('calculate_lp'));
  if (path.error !== undefined) return fail(path.error.message, true);
  return { kind: 'draws', draws: together(best.draws, rest, wanted), evaluations: countedEvaluations(path) };
}

function pathSettings(settings: Settings) {
  return {
    historySize: settings.number('history_size'),
    initialStep: settings.number('init_alpha'),
    elboDraws: settings.number('num_elbo_draws'),
    tolerances: tolerancesOf(settings, settings.number('max_lbfgs_iters')),
  };
}

/** The first `count` draws of two sets. */
function together(first: ApproximateDraws, second: ApproximateDraws, count: number): ApproximateDraws {
  return {
    positions: [...first.positions, ...second.positions].slice(0, count),
    logApproximate: Float64Array.of(...first.logApproximate, ...second.logApproximate).slice(0, count),
    logTarget: Float64Array.of(...first.logTarget, ...second.logTarget).slice(0, count),
  };
}

const HEADING =
  ' Iter      log prob        ||dx||      ||grad||     alpha      alpha0      # evals       ELBO    Best ELBO        Notes \n';

/**
 * The number of evaluations as Stan counts them: the gradient at the start and the log densities of draws, but not the gradients of the
 * optimizer's steps.
 */
function countedEvaluations({ evaluations }: Path): number {
  return 1 + evaluations;
}

function progressRow(path: Path): string {
  const number = (value: number, width: number) => scientificText(value, 3).padStart(width);
  const { best, elbo } = path;
  const { firstStep, iteration, moved, note, point, step } = path.minimizer;
  return [
    String(iteration).padStart(15),
    number(-point.value, 16),
    number(moved, 15),
    number(norm(point.gradient), 12),
    number(step, 13),
    number(firstStep, 11),
    String(countedEvaluations(path)).padStart(10),
    number(elbo, 11),
    number(best?.elbo ?? Number.NEGATIVE_INFINITY, 11),
    note.padStart(18),
  ].join('');
}
