import { type Initialization, initialize } from '../../initialize.js';
import { type Descent, descend } from '../../optimization/descent.js';
import type { Chain } from '../algorithm.js';

/** Number of random points from which a descent starts. */
const STARTS = 8;
/** A path leads to a minor mode if another path ends higher by more than this, and by more than 1 per parameter. */
const MARGIN = 10;

/**
 * Finds a starting point near typical draws by descents from several random points (`descend`). Uses the first descent, or the best one if
 * the first leads to a minor mode, which a short warmup may not leave. If all parameters have initial values, the chain starts at these.
 */
export function typicalStart(chain: Chain, radius: number): Initialization {
  const { clock, initial, rng, sink, target } = chain;
  const random = () => ({ density: target, initial, radius, rng, clock });
  const start = initialize({ ...random(), sink, reportTiming: true });
  if ('problem' in start || initial.given === 'all' || target.dimension === 0) return start;
  const first = descend(target, start.position);
  let best = first;
  for (let index = 1; index < STARTS; index++) {
    const other = initialize({ ...random(), sink: SILENT, reportTiming: false });
    const descent = 'problem' in other ? undefined : descend(target, other.position);
    if (descent !== undefined && isBetter(descent, best, MARGIN + target.dimension)) best = descent;
  }
  return { ...start, position: best?.position ?? start.position };
}

function isBetter(descent: Descent, than: Descent | undefined, margin: number): boolean {
  return than === undefined || descent.logDensity > than.logDensity + margin;
}

const SILENT = {
  log: () => {},
  progress: () => {},
  initialization: () => {},
  adaptation: () => {},
  elapsed: () => {},
  remark: () => {},
  draw: () => {},
  diagnostic: () => {},
};
