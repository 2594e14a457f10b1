import type { Ladder, LevelStart } from './ladder.js';
import { NormalMixture } from './mixture.js';

/** The whole state of a ladder as numbers: its reference, its levels, and what iterations change. */
export function writeLadder(ladder: Ladder, changing: Float64Array): Float64Array {
  const { levels, reference } = ladder;
  const { components } = reference;
  return Float64Array.from([
    components.length,
    levels.length,
    ...components.flatMap(({ mean, variances, weight }) => [weight, ...mean, ...variances]),
    ...levels.flatMap(({ beta, scale, stepSize }) => [beta, stepSize, ...scale.inverse]),
    ...changing,
  ]);
}

/** What `writeLadder` has written, for positions of this dimension; undefined if the numbers do not fit together. */
export function readLadder(
  state: Float64Array,
  dimension: number,
):
  | {
      readonly reference: NormalMixture;
      readonly starts: readonly LevelStart[];
      readonly changing: Float64Array;
    }
  | undefined {
  const [components, levels] = state;
  const levelsFrom = 2 + components * (1 + 2 * dimension);
  const changingFrom = levelsFrom + levels * (2 + dimension);
  if (state.length !== changingFrom + levels * (dimension + 1) + 2) return undefined;
  const reference = new NormalMixture(
    Array.from({ length: components }, (_, k) => {
      const from = 2 + k * (1 + 2 * dimension);
      const mean = state.slice(from + 1, from + 1 + dimension);
      return { weight: state[from], mean, variances: state.slice(from + 1 + dimension, from + 1 + 2 * dimension) };
    }),
  );
  const starts = Array.from({ length: levels }, (_, k): LevelStart => {
    const from = levelsFrom + k * (2 + dimension);
    const place = changingFrom + k * (dimension + 1);
    return {
      beta: state[from],
      stepSize: state[from + 1],
      inverseMetric: state.slice(from + 2, from + 2 + dimension),
      position: state.slice(place, place + dimension),
    };
  });
  return { reference, starts, changing: state.slice(changingFrom) };
}
