import { bandMarks, STEPS, uniformBand, uniformDifferences } from './ecdf.js';
import { frame } from './frame.js';
import type { Plot, Size } from './scene.js';
import { wordsOf } from './words.js';

/** The position of each observation in its predictive distribution given all other observations. */
export interface LeftOutPlaces {
  /** Name of the outcome. */
  readonly name: string;
  /** For each observation, the probability of smaller values, from 0 to 1. */
  readonly places: Float64Array;
  /** Whether some simulations equal observations, so that positions among equal values were drawn at random. */
  readonly isRandomized: boolean;
}

/**
 * The empirical distribution of leave-one-out probability integral transforms minus a uniform distribution, which is
 * their distribution if the model is correct. For independent uniform values, the band contains the differences at all
 * places with probability 0.95 (Säilynoja, Bürkner and Vehtari 2022, section 3.1). The band is computed as for
 * `ecdfDifferencePlot`.
 */
export function looPitPlot({ isRandomized, name, places }: LeftOutPlaces, size: Size): Plot {
  const words = wordsOf(size);
  const differences = uniformDifferences(places);
  const band = uniformBand(places.length);
  const greatest = Math.max(0.01, ...band, ...differences.map(Math.abs)) * 1.08;
  const { x, y, marks } = frame(size, { x: [0, 1], y: [-greatest, greatest], xLabel: 'LOO-PIT' });
  // Differences at both ends are always 0, and a band of width 0 contains no value.
  const isOutside = differences.some((each, step) => step > 0 && step < STEPS && Math.abs(each) > band[step]);
  const points = differences.flatMap((each, step) => [x(step / STEPS), y(each)]);
  return {
    ...size,
    title: words('looPitTitle', { name }),
    description: words('looPitAbout', {
      count: places.length,
      name,
      isOutside: Number(isOutside),
      isRandomized: Number(isRandomized),
    }),
    marks: [...marks, ...bandMarks(band, x, y), { kind: 'line', points, ink: 'chain1', width: 1.8 }],
    table: () => ({
      columns: [words('place'), words('difference'), words('band')],
      rows: differences.map((difference, step) => [step / STEPS, difference, band[step]]),
    }),
    spotAt: (px) => {
      const step = Math.min(STEPS, Math.max(0, Math.round(x.invert(px) * STEPS)));
      const text = words('spotBand', {
        place: words.fixed(step / STEPS, 2),
        difference: words.fixed(differences[step], 3),
        width: words.fixed(band[step], 3),
      });
      return { x: x(step / STEPS), y: y(differences[step]), text };
    },
  };
}
