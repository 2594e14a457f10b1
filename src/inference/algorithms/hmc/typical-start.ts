import { type Initialization, initialize } from '../../initialize.js';
import { type Descent, descend } from '../../pathfinder/descent.js';
import { SILENT } from '../../silent.js';
import type { Chain } from '../algorithm.js';

/** Number of random points from which a descent starts. */
const STARTS = 12;
/** A descent leads to a minor mode if the log mass near another one is higher by more than this, so below 5 % of the other's mass. */
const MARGIN = 3;

/**
 * Finds a starting point near typical draws by descents from several random points (`descend`). Uses the first descent, or the best one if
 * the first leads to a minor mode, which a short warmup may not leave. If all parameters have initial values, the chain starts at these.
 */
export function typicalStart(chain: Chain, radius: number): Initialization {
  const { clock, initial, rng, sink, target } = chain;
  const random = () => ({ density: target, initial, radius, rng, clock });
  const start = initialize({ ...random(), sink, reportTiming: true });
  if ('problem' in start || initial.given === 'all' || target.dimension === 0) return start;
  const first = descend(target, start.position, rng);
  let best = first;
  for (let index = 1; index < STARTS; index++) {
    const other = initialize({ ...random(), sink: SILENT, reportTiming: false });
    const descent = 'problem' in other ? undefined : descend(target, other.position, rng);
    if (descent !== undefined && isBetter(descent, best)) best = descent;
  }
  return { ...start, position: best?.position ?? start.position, variances: best?.variances };
}

function isBetter(descent: Descent, than: Descent | undefined): boolean {
  return than === undefined || descent.logMass > than.logMass + MARGIN;
}
