import type { MetricLearner } from '../../adaptation/metric-adaptation.js';
import { CovarianceLearner, FisherLearner, VarianceLearner } from '../../adaptation/metric-learners.js';
import { streamText } from '../../number-text.js';
import { DenseMetric } from '../../transition/dense-metric.js';
import { DiagonalMetric } from '../../transition/diagonal-metric.js';
import type { Metric } from '../../transition/metric.js';
import { PhaseSpace } from '../../transition/phase-space.js';
import type { Argument, Settings } from '../arguments.js';
import { denseMetricArgument, diagonalMetricArgument, metricAdaptationArgument, windowArguments } from './arguments.js';

/** A metric to start with, and how it can be learnt. */
export interface PreparedMetric {
  readonly space: PhaseSpace;
  readonly metric: Metric;
  /** What can learn it; absent where nothing can. */
  readonly createLearner?: (settings: Settings) => MetricLearner;
  /** Stan's lines about the metric. */
  text(): readonly string[];
}

/** The shape of the kinetic energy: one half of an algorithm of Hamiltonian Monte Carlo. */
export interface MetricKind {
  /** In the function's name. */
  readonly name: 'unit_e' | 'diag_e' | 'dense_e';
  readonly description: string;
  readonly arguments: readonly Argument[];
  /** Where it is adapted. */
  readonly adaptationArguments: readonly Argument[];
  /** What its adaptation estimates in warmup; absent where nothing can be learnt. */
  readonly estimates?: 'variance' | 'covariance';
  /** Stan's lines when the metric that was given cannot be used. */
  prepare(dimension: number, settings: Settings): PreparedMetric | { readonly problem: readonly string[] };
}

const unit: MetricKind = {
  name: 'unit_e',
  description: 'unit Euclidean metric',
  arguments: [],
  adaptationArguments: [],
  prepare: (dimension) => {
    const space = new PhaseSpace(dimension);
    const metric = new DiagonalMetric(space);
    return { space, metric, text: () => ['No free parameters for unit metric'] };
  },
};

const diagonal: MetricKind = {
  name: 'diag_e',
  description: 'diagonal Euclidean metric',
  arguments: [diagonalMetricArgument],
  adaptationArguments: [...windowArguments, metricAdaptationArgument],
  estimates: 'variance',
  prepare: (dimension, settings) => {
    const space = new PhaseSpace(dimension);
    const metric = new DiagonalMetric(space);
    const rows = settings.rows('inv_metric');
    if (rows !== undefined) {
      const [variances] = rows;
      if (variances.length !== dimension) return mismatch('diag', `${dimension}`, `${variances.length}`);
      if (!variances.every((variance) => variance > 0)) return NOT_POSITIVE_DEFINITE;
      metric.setInverse(Float64Array.from(variances));
    }
    return {
      space,
      metric,
      createLearner: (chosen) =>
        chosen.choice('adapt_metric') === 'fisher'
          ? new FisherLearner(metric, dimension)
          : new VarianceLearner(metric, dimension),
      text: () => [
        'Diagonal elements of inverse mass matrix:',
        Array.from(metric.inverse(), (value) => streamText(value)).join(', '),
      ],
    };
  },
};

const dense: MetricKind = {
  name: 'dense_e',
  description: 'dense Euclidean metric',
  arguments: [denseMetricArgument],
  adaptationArguments: windowArguments,
  estimates: 'covariance',
  prepare: (dimension, settings) => {
    const space = new PhaseSpace(dimension, 'dense');
    const metric = new DenseMetric(space);
    const rows = settings.rows('inv_metric');
    if (rows !== undefined) {
      const size = dimension === 0 ? 0 : rows.length;
      if (size !== dimension || rows[0].length !== dimension) {
        return mismatch('dense', `${dimension},${dimension}`, `${rows.length},${rows[0].length}`);
      }
      const isSymmetric = rows.every((row, i) => row.every((value, j) => Math.abs(value - rows[j][i]) <= SYMMETRY));
      if (!isSymmetric || !metric.setInverse(Float64Array.from(rows.flat()))) return NOT_POSITIVE_DEFINITE;
    }
    return {
      space,
      metric,
      createLearner: () => new CovarianceLearner(metric, dimension),
      text: () => ['Elements of inverse mass matrix:', ...rowTexts(metric.inverse(), dimension)],
    };
  },
};

export const metricKinds: readonly MetricKind[] = [unit, diagonal, dense];

/** Elements on both sides of the diagonal may differ by this much. */
const SYMMETRY = 1e-8;

const FAILURE = 'Initialization failure';
const NOT_POSITIVE_DEFINITE = { problem: ['Inverse Euclidean metric not positive definite.', FAILURE] };

function mismatch(kind: 'diag' | 'dense', declared: string, found: string): { readonly problem: readonly string[] } {
  const first = kind === 'diag' ? 'Cannot get inverse Euclidean metric from input file.' : CANNOT_GET_DENSE;
  return {
    problem: [
      first,
      'Caught exception: ',
      'Exception: mismatch in dimension declared and found in context; ' +
        `processing stage=read ${kind} inv metric; variable name=inv_metric; ` +
        `dims declared=(${declared}); dims found=(${found})`,
      FAILURE,
    ],
  };
}

const CANNOT_GET_DENSE = 'Cannot get inverse metric from input file.';

function rowTexts(elements: Float64Array, dimension: number): string[] {
  if (dimension === 0) return [''];
  return Array.from({ length: dimension }, (_, row) =>
    Array.from(elements.subarray(row * dimension, (row + 1) * dimension), (value) => streamText(value)).join(', '),
  );
}
