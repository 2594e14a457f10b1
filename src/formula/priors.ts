/**
 * Weakly informative priors, scaled to the data.
 *
 * Coefficients, intercept and the standard deviation of errors have the defaults of rstanarm (Goodrich and others, vignette "Prior Distributions for
 * rstanarm Models", section "Default priors and scale adjustments"): `normal(0, 2.5 sd(y) / sd(x))`; `normal(mean(y), 2.5 sd(y))` for the expected
 * outcome at the means of the predictors; `exponential(1 / sd(y))`. If a link function changes the scale of the outcome, 1 replaces sd(y), and 0 the
 * mean, or for counts the logarithm of the mean, as in brms. Standard deviations between groups are exponential, as the `decov` prior of rstanarm; their
 * scale follows the outcome and the predictor as in Bambi (`bambi/priors/scaler.py`), as does the prior of coefficients that are means, in models
 * without an intercept. Correlations are uniform over correlation matrices (`lkj_corr_cholesky(1)`), as in rstanarm and brms. The degrees of
 * freedom of Student's t are `gamma(2, 0.1)` (Juárez and Steel, 2010), and the shape of the negative binomial distribution is `inv_gamma(0.4, 0.3)`, as in
 * brms. The cutpoints of ordinal outcomes have the prior of an intercept. Offsets are subtracted from the outcome; for counts, their exponential divides
 * the mean.
 */
import type { DesignColumn } from './coding.js';
import { type Family, hasIdentityLink } from './families.js';
import { literal, numeral, roundedTo } from './numerals.js';
import { type DesignOffset, exponentialText, offsetText, shiftsOf } from './offsets.js';
import type { Outcome } from './outcome.js';
import { mean, rootMeanSquare, standardDeviation } from './statistics.js';

/** The arguments of a prior, with the reason for their values. */
export interface Prior {
  readonly text: string;
  readonly note: string;
}

/** Standard deviations of the prior of an effect: a change of the predictor by its standard deviation seldom changes the outcome more than that. */
const WIDTH = 2.5;

/** The expected linear predictor without offsets. */
interface Location {
  readonly value: number;
  /** How the value is computed; empty for 0. */
  readonly note: string;
}

export class Priors {
  /** The scale of the linear predictor. */
  readonly #scale: number;
  readonly #location: Location;
  readonly #isIdentity: boolean;
  /** The outcome without offsets, in notes. */
  readonly #outcome: string;

  constructor(family: Family, outcome: Outcome, offsets: readonly DesignOffset[]) {
    const shifts = shiftsOf(offsets, outcome.values.length);
    const offset = offsets.map(offsetText).join(' + ');
    const values = outcome.values.map((value, row) => value - shifts[row]);
    this.#isIdentity = hasIdentityLink(family);
    this.#scale = this.#isIdentity ? standardDeviation(values) : 1;
    this.#outcome = offset === '' ? outcome.name : `${outcome.name} - ${offset}`;
    if (this.#isIdentity) this.#location = { value: mean(values), note: `mean(${this.#outcome})` };
    else if (family === 'poisson' || family === 'negbinomial') {
      const exposure = offset === '' ? '' : ` / mean(${exponentialText(offsets)})`;
      const value = Math.log(mean(outcome.values) / mean(shifts.map(Math.exp)));
      this.#location = { value, note: `log of mean(${outcome.name})${exposure}` };
    } else this.#location = { value: -mean(shifts), note: offset === '' ? '' : `-mean(${offset})` };
  }

  /** The intercept, if predictors are centered. */
  intercept(): Prior {
    const { note, value } = this.#location;
    return normal(value, WIDTH * this.#scale, note === '' ? '' : `${note}, ${this.#width(WIDTH)}`);
  }

  /** A coefficient. `columns` are those of all coefficients, which are not centered if there is no intercept. */
  coefficient(column: DesignColumn, columns: readonly DesignColumn[], intercept: boolean): Prior {
    const x = column.predictors.map(({ name }) => name).join('*');
    const means = intercept ? [] : columns.filter(({ isMean }) => isMean);
    if (means.includes(column)) {
      const others = columns.filter(({ isMean }) => !isMean);
      const shifts = others.map(({ values }) => (WIDTH * this.#scale * mean(values)) / standardDeviation(values));
      return normal(this.#location.value, Math.hypot(WIDTH * this.#scale, ...shifts), 'a mean');
    }
    if (intercept || means.length > 0) {
      const width = (WIDTH * this.#scale) / standardDeviation(column.values);
      return normal(0, width, `${this.#width(WIDTH)} / sd(${x})`);
    }
    const width = (WIDTH * Math.hypot(this.#scale, this.#location.value)) / rootMeanSquare(column.values);
    return normal(0, width, 'without an intercept, distances from 0 are the scale');
  }

  /** The standard deviation of errors. */
  error(): Prior {
    return { text: `exponential(${numeral(1 / this.#scale)})`, note: `mean: ${this.#width(1)}` };
  }

  /** The standard deviations of the effects of a group. */
  spread(columns: readonly DesignColumn[]): Prior {
    const rates = columns.map((column) =>
      numeral((column.isMean ? 1 : standardDeviation(column.values)) / this.#scale),
    );
    const notes = columns.map(({ isMean, predictors }) =>
      isMean ? this.#width(1) : `${this.#width(1)} / sd(${predictors.map(({ name }) => name).join('*')})`,
    );
    const [rate = ''] = rates;
    return {
      text: `exponential(${rates.length === 1 ? rate : `[${rates.join(', ')}]`})`,
      note: `mean: ${notes.join(', ')}`,
    };
  }

  /** A multiple of the scale as text. */
  #width(multiple: number): string {
    if (!this.#isIdentity) return `${multiple}`;
    return multiple === 1 ? `sd(${this.#outcome})` : `${multiple} sd(${this.#outcome})`;
  }
}

/** A normal prior. The location is rounded to the digits that matter for its width. */
function normal(location: number, width: number, note: string): Prior {
  return { text: `normal(${literal(roundedTo(location, width, 2))}, ${numeral(width)})`, note };
}
