/**
 * The settings of the warmup schedule: a fast interval for the step size, slow windows of doubling length for the metric, and a last fast
 * interval.
 */
export interface WindowSettings {
  readonly numWarmup: number;
  readonly initBuffer: number;
  readonly termBuffer: number;
  readonly baseWindow: number;
}

/** The zero-based iterations in which the metric is estimated. */
export interface WarmupSchedule {
  /** Positions count from this iteration … */
  readonly slowStart: number;
  /** … to this one, exclusive. */
  readonly slowEnd: number;
  /** Iterations after which a window ends and the metric is set from the positions of the window. */
  readonly windowEnds: ReadonlySet<number>;
  /** Stan's messages about an unusual schedule. */
  readonly messages: readonly string[];
}

/**
 * Stan's warmup schedule as a pure function (reference manual, "MCMC sampling", automatic parameter tuning).
 *
 * As in Stan, no metric is estimated with fewer than 20 iterations. If the three stages do not fit and are reduced to 15 %, 75 % and 10 %,
 * no window ends, so the metric keeps its initial value.
 */
export function warmupSchedule(
  settings: WindowSettings,
  estimated: 'variance' | 'covariance' = 'variance',
): WarmupSchedule {
  const { numWarmup, initBuffer, termBuffer, baseWindow } = settings;
  if (numWarmup < 20) {
    return withoutWindows([`WARNING: No ${estimated} estimation is`, '         performed for num_warmup < 20', '']);
  }
  if (initBuffer + baseWindow + termBuffer > numWarmup) return withoutWindows(reductionMessages(numWarmup));
  return {
    slowStart: initBuffer,
    slowEnd: numWarmup - termBuffer,
    windowEnds: windowEnds(settings),
    messages: [],
  };
}

/**
 * Each window is twice as long as the previous one. A window is extended to the end of the slow interval if too few iterations would remain
 * after it.
 */
function windowEnds({ numWarmup, initBuffer, termBuffer, baseWindow }: WindowSettings): Set<number> {
  const last = numWarmup - termBuffer - 1;
  const ends = new Set<number>();
  let size = baseWindow;
  let end = initBuffer + size - 1;
  while (end >= 0 && end < last && !ends.has(end)) {
    ends.add(end);
    size *= 2;
    end += size;
    if (end !== last && end + 2 * size > last) end = last;
  }
  if (end === last) ends.add(last);
  return ends;
}

function withoutWindows(messages: readonly string[]): WarmupSchedule {
  return { slowStart: 0, slowEnd: 0, windowEnds: new Set(), messages };
}

function reductionMessages(numWarmup: number): string[] {
  const initBuffer = Math.floor(0.15 * numWarmup);
  const termBuffer = Math.floor(0.1 * numWarmup);
  return [
    "WARNING: There aren't enough warmup iterations to fit the",
    '         three stages of adaptation as currently configured.',
    '         Reducing each adaptation stage to 15%/75%/10% of',
    '         the given number of warmup iterations:',
    `           init_buffer = ${initBuffer}`,
    `           adapt_window = ${numWarmup - initBuffer - termBuffer}`,
    `           term_buffer = ${termBuffer}`,
    '',
  ];
}
