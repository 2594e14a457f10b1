import type { Ladder, LevelStart } from './ladder.js';
import { NormalMixture } from './mixture.js';
import { fitMixture } from './mixture-fit.js';
import { barriers, equalSchedule, normalSchedule } from './schedule.js';

/** A part of warmup, after which the ladder is changed. */
export interface Round {
  readonly iterations: number;
  /** `schedule`: inverse temperatures. `reference`: the reference, which is matched to the draws of the round. */
  readonly change: 'schedule' | 'reference' | 'none';
}

const ROUNDS = [
  { share: 0.04, change: 'schedule' },
  { share: 0.08, change: 'schedule' },
  { share: 0.16, change: 'schedule' },
  { share: 0.22, change: 'reference' },
  { share: 0.12, change: 'reference' },
  { share: 0.13, change: 'reference' },
  { share: 0.1, change: 'schedule' },
  { share: 0.15, change: 'none' },
] as const;

/** Ratio of the standard deviations of a matched reference to those of the draws. */
const INFLATION = 1.5;
const LEAST_LEVELS = 4;
export const FIRST_LEVELS = 12;

/** The rounds of warmup: first with a broad reference, which finds modes, then with references matched to draws. */
export function roundsOf(iterations: number): Round[] {
  let end = 0;
  let share = 0;
  return ROUNDS.map((round) => {
    share += round.share;
    const start = end;
    end = Math.round(share * iterations);
    return { iterations: end - start, change: round.change };
  });
}

/** The number of levels for a communication barrier, for which half of the swaps are rejected. */
function levelsFor(barrier: number, most: number): number {
  return Math.max(Math.min(LEAST_LEVELS, most), Math.min(most, Math.ceil(2 * barrier) + 1));
}

/** Changes the ladder after a round. `draws` are positions of the posterior, at least one. */
export function rearrange(
  ladder: Ladder,
  change: Round['change'],
  draws: readonly Float64Array[],
  mostLevels: number,
): void {
  const { levels } = ladder;
  const rejections = ladder.rejections();
  const barrier = barriers(rejections)[levels.length - 1];
  const betas = levels.map(({ beta }) => beta);
  const starts = (schedule: readonly number[], from: (index: number) => number) =>
    schedule.map((beta, index): LevelStart => {
      const { adaptation, sampler, scale, stepSize } = levels[from(index)];
      const position = sampler.point.position.slice();
      return { beta, position, stepSize: adaptation.averaged ?? stepSize, inverseMetric: scale.learned() };
    });
  if (change === 'reference') {
    const reference = inflated(fitMixture(draws));
    const schedule = normalSchedule(levelsFor(barrier, mostLevels), INFLATION ** 2);
    const ratio = (levels.length - 1) / (schedule.length - 1);
    ladder.arrange(
      reference,
      starts(schedule, (index) => Math.round(index * ratio)),
    );
  } else if (change === 'schedule') {
    const schedule = equalSchedule(betas, rejections, levelsFor(barrier, mostLevels));
    ladder.arrange(
      ladder.reference,
      starts(schedule, (index) => nearest(betas, schedule[index])),
    );
  }
}

/** The index of the inverse temperature that is separated from `beta` by the least barrier, which is linear between neighbors. */
function nearest(betas: readonly number[], beta: number): number {
  const above = betas.findIndex((each) => each >= beta);
  if (above <= 0) return 0;
  return beta - betas[above - 1] < betas[above] - beta ? above - 1 : above;
}

function inflated({ components }: NormalMixture): NormalMixture {
  return new NormalMixture(
    components.map((each) => ({ ...each, variances: each.variances.map((variance) => INFLATION ** 2 * variance) })),
  );
}
