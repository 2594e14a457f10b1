import { streamText } from '../../number-text.js';
import type { Ascent } from '../../variational/ascent.js';
import type { Family } from '../../variational/families.js';
import { type Chain, failed, type Outcome } from '../algorithm.js';

/** Candidate scales, largest first. */
const CANDIDATES = [100, 10, 1, 0.1, 0.01];
const WHERE = 'stan::variational::advi::adapt_eta';
const BLAME = 'Your model may be either severely ill-conditioned or misspecified.';

/**
 * Searches for the scale of the steps, as in Stan: runs each candidate for a few iterations from the start, until one performs worse than
 * the previous one. Resets the family to `start`. Returns the scale, or the outcome of the run.
 */
export function adaptEta(
  ascent: Ascent,
  family: Family,
  start: Float64Array,
  iterations: number,
  chain: Chain,
): number | Outcome {
  const { interrupt, sink } = chain;
  sink.log('info', 'Begin eta adaptation.');
  const initial = ascent.elbo();
  if (typeof initial !== 'number') {
    const words = `${WHERE}: Cannot compute ELBO using the initial variational distribution. ${BLAME}`;
    return failed(chain, initial.isFinal ? initial.problem : words);
  }
  const total = iterations * CANDIDATES.length;
  let best = { elbo: -Number.MAX_VALUE, eta: 0 };
  for (const [index, eta] of CANDIDATES.entries()) {
    ascent.restart();
    for (let step = 1; step <= iterations; step++) {
      if (interrupt()) return { status: 'interrupted' };
      const iteration = index * iterations + step;
      if (iteration === 1 || iteration % iterations === 0) {
        sink.progress({ iteration, total, text: progressText(iteration, total) });
      }
      ascent.step(eta, 'stay');
    }
    const found = ascent.elbo();
    if (typeof found !== 'number' && found.isFinal) return failed(chain, found.problem);
    const elbo = typeof found === 'number' ? found : -Number.MAX_VALUE;
    family.reset(start);
    const isLast = index === CANDIDATES.length - 1;
    if (elbo < best.elbo && best.elbo > initial) {
      sink.log(
        'info',
        `Success! Found best value [eta = ${streamText(best.eta)}]${isLast ? '.' : ' earlier than expected.'}`,
      );
      sink.log('info', '');
      return best.eta;
    }
    if (isLast && elbo > initial) {
      sink.log('info', `Success! Found best value [eta = ${streamText(eta)}].`);
      sink.log('info', '');
      return eta;
    }
    best = { elbo, eta };
  }
  return failed(chain, `${WHERE}: All proposed step-sizes failed. ${BLAME}`);
}

function progressText(iteration: number, total: number): string {
  const width = Math.ceil(Math.log10(total));
  const percent = Math.floor((100 * iteration) / total);
  return `Iteration: ${String(iteration).padStart(width)} / ${total} [${String(percent).padStart(3)}%]  (Adaptation)`;
}
