/** The schedule of warmup: a fast interval for the step size, slow windows of doubling length for the metric, a last fast interval. */
export interface WindowSettings {
  readonly numWarmup: number;
  readonly initBuffer: number;
  readonly termBuffer: number;
  readonly baseWindow: number;
}

/** The iterations at which the metric is estimated, counted from 0. */
export interface WarmupSchedule {
  /** Positions count from this iteration on ... */
  readonly slowStart: number;
  /** ... and before this one. */
  readonly slowEnd: number;
  /** Iterations after which a window ends: the metric is set from the positions since the last end. */
  readonly windowEnds: ReadonlySet<number>;
  /** Stan's messages about an unusual division. */
  readonly messages: readonly string[];
}

/**
 * Stan's warmup schedule as a pure function (reference manual, "MCMC sampling", automatic parameter tuning).
 *
 * Two properties are Stan's and may surprise: below 20 iterations no metric is estimated; and if the three stages do not fit and are
 * reduced to 15 %, 75 % and 10 %, no window ends, so that the metric keeps its initial value.
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
 * Each window is twice as long as the previous one; a window is extended to the end of the slow interval if too few iterations would remain
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
