import { FisherAdaptation } from '../../adaptation/fisher-adaptation.js';
import { LowRankAdaptation } from '../../adaptation/low-rank-adaptation.js';
import { type MetricAdaptation, type MetricLearner, WindowedAdaptation } from '../../adaptation/metric-adaptation.js';
import { CovarianceLearner, VarianceLearner } from '../../adaptation/metric-learners.js';
import { warmupSchedule } from '../../adaptation/windows.js';
import type { EventSink } from '../../events.js';
import { streamText } from '../../number-text.js';
import type { LogDensity } from '../../target.js';
import { DenseMetric } from '../../transition/dense-metric.js';
import { DiagonalMetric } from '../../transition/diagonal-metric.js';
import { isLowRankForm, LowRankMetric } from '../../transition/low-rank-metric.js';
import type { Metric } from '../../transition/metric.js';
import { PhaseSpace } from '../../transition/phase-space.js';
import type { MetricName } from '../algorithm.js';
import type { Argument, Settings } from '../arguments.js';
import {
  denseMetricArgument,
  diagonalMetricArgument,
  lowRankMetricArgument,
  metricAdaptationArgument,
  windowArguments,
} from './arguments.js';

/** An initial metric and its adaptation. */
export interface PreparedMetric {
  readonly space: PhaseSpace;
  readonly metric: Metric;
  /** Creates the adaptation of the metric; absent if the metric cannot be adapted. Reports an unusual warmup schedule to the sink. */
  readonly adaptation?: (settings: Settings, sink: EventSink) => MetricAdaptation;
  /** Stan's lines about the metric. */
  text(): readonly string[];
}

/** The shape of the kinetic energy. A trajectory and a metric together define a Hamiltonian Monte Carlo algorithm. */
export interface MetricKind {
  /** The part of the function's name. */
  readonly name: MetricName;
  /** The namespace of the samplers: Stan's or Leapfrog's. */
  readonly namespace: 'stan' | 'leapfrog';
  readonly description: string;
  readonly arguments: readonly Argument[];
  /** Arguments of its adaptation. */
  readonly adaptationArguments: readonly Argument[];
  /**
   * Whether the adaptation also learns from gradients, as in no sampler of Stan. Then chains start near typical draws, because in the tails
   * the metric would follow the local curvature, and steps would become too short to leave the tails. If transitions diverge, `delta`
   * rises, because the metric permits steps that miss narrow regions.
   */
  learnsFromGradients(settings: Settings): boolean;
  /** Returns Stan's messages if the given metric cannot be used. */
  prepare(density: LogDensity, settings: Settings): PreparedMetric | { readonly problem: readonly string[] };
}

const unit: MetricKind = {
  name: 'unit_e',
  namespace: 'stan',
  description: 'unit Euclidean metric',
  arguments: [],
  adaptationArguments: [],
  learnsFromGradients: () => false,
  prepare: ({ dimension, resident }) => {
    const space = new PhaseSpace(dimension, 'diagonal', resident);
    const metric = new DiagonalMetric(space);
    return { space, metric, text: () => ['No free parameters for unit metric'] };
  },
};

const diagonal: MetricKind = {
  name: 'diag_e',
  namespace: 'stan',
  description: 'diagonal Euclidean metric',
  arguments: [diagonalMetricArgument],
  adaptationArguments: [...windowArguments, metricAdaptationArgument],
  learnsFromGradients: (settings) => settings.choice('adapt_metric') === 'fisher',
  prepare: ({ dimension, resident }, settings) => {
    const space = new PhaseSpace(dimension, 'diagonal', resident);
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
      adaptation: (chosen, sink) =>
        diagonal.learnsFromGradients(chosen)
          ? new FisherAdaptation(metric, dimension, chosen.number('num_warmup'))
          : windowed(chosen, 'variance', new VarianceLearner(metric, dimension), sink),
      text: () => [
        'Diagonal elements of inverse mass matrix:',
        Array.from(metric.inverse(), (value) => streamText(value)).join(', '),
      ],
    };
  },
};

const dense: MetricKind = {
  name: 'dense_e',
  namespace: 'stan',
  description: 'dense Euclidean metric',
  arguments: [denseMetricArgument],
  adaptationArguments: windowArguments,
  learnsFromGradients: () => false,
  prepare: ({ dimension, resident }, settings) => {
    const space = new PhaseSpace(dimension, 'dense', resident);
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
      adaptation: (chosen, sink) => windowed(chosen, 'covariance', new CovarianceLearner(metric, dimension), sink),
      text: () => ['Elements of inverse mass matrix:', ...rowTexts(metric.inverse(), dimension)],
    };
  },
};

/** Maximum number of directions of a low-rank metric: the cost of a leapfrog step grows with it. */
const MAX_RANK = 100;

export const lowRank: MetricKind = {
  name: 'low_rank',
  namespace: 'leapfrog',
  description: 'low-rank plus diagonal Euclidean metric',
  arguments: [lowRankMetricArgument],
  adaptationArguments: [],
  learnsFromGradients: () => true,
  prepare: ({ dimension, resident }, settings) => {
    const maxRank = Math.min(dimension, MAX_RANK);
    const space = new PhaseSpace(dimension, 'lowRank', resident, maxRank);
    const metric = new LowRankMetric(space, maxRank);
    const rows = settings.rows('inv_metric');
    if (rows !== undefined) {
      const [variances, ...directions] = rows;
      const other = rows.find((row) => row.length !== dimension);
      if (other !== undefined)
        return mismatch('low_rank', `${rows.length},${dimension}`, `${rows.length},${other.length}`);
      const form = {
        scales: Float64Array.from(variances, Math.sqrt),
        directions: directions.map((direction) => Float64Array.from(direction)),
      };
      if (directions.length > maxRank || !isLowRankForm(form)) return NOT_POSITIVE_DEFINITE;
      metric.set(form);
    }
    return {
      space,
      metric,
      adaptation: (chosen) => new LowRankAdaptation({ metric, maxRank, numWarmup: chosen.number('num_warmup') }),
      text: () => {
        const rows = rowTexts(metric.inverse(), dimension);
        return ['Diagonal elements and directions of the low-rank inverse mass matrix:', ...rows];
      },
    };
  },
};

export const metricKinds: readonly MetricKind[] = [unit, diagonal, dense, lowRank];

function windowed(
  settings: Settings,
  estimated: 'variance' | 'covariance',
  learner: MetricLearner,
  sink: EventSink,
): WindowedAdaptation {
  const windows = {
    numWarmup: settings.number('num_warmup'),
    initBuffer: settings.number('init_buffer'),
    termBuffer: settings.number('term_buffer'),
    baseWindow: settings.number('window'),
  };
  const schedule = warmupSchedule(windows, estimated);
  for (const line of schedule.messages) sink.log('info', line);
  return new WindowedAdaptation(schedule, learner);
}

/** Tolerance for elements on both sides of the diagonal. */
const SYMMETRY = 1e-8;

const FAILURE = 'Initialization failure';
const NOT_POSITIVE_DEFINITE = { problem: ['Inverse Euclidean metric not positive definite.', FAILURE] };

function mismatch(
  kind: 'diag' | 'dense' | 'low_rank',
  declared: string,
  found: string,
): { readonly problem: readonly string[] } {
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
  return Array.from({ length: elements.length / dimension }, (_, row) =>
    Array.from(elements.subarray(row * dimension, (row + 1) * dimension), (value) => streamText(value)).join(', '),
  );
}
