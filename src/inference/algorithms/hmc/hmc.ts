import type { Algorithm } from '../algorithm.js';
import { commonArguments, drawArguments, threadsArgument } from '../arguments.js';
import { phaseSpaceColumns } from '../draw-recorder.js';
import {
  integrateArgument,
  integratorArguments,
  reparameterizeArgument,
  stepSizeAdaptationArguments,
  warmupArguments,
} from './arguments.js';
import { type MetricKind, metricKinds } from './metrics.js';
import { runHmc } from './run.js';
import { type Trajectory, trajectories } from './trajectories.js';

/**
 * All combinations of a trajectory and a metric, with and without adaptation: Stan's twelve samplers of Hamiltonian Monte Carlo. The
 * low-rank metric is only available with the No-U-Turn sampler.
 */
export const hmcAlgorithms: readonly Algorithm[] = trajectories.flatMap((trajectory) =>
  metricKinds
    .filter(({ namespace }) => namespace === 'stan' || trajectory.name === 'nuts')
    .flatMap((kind) => [hmcAlgorithm(trajectory, kind, true), hmcAlgorithm(trajectory, kind, false)]),
);

/** The sampler with this trajectory and this metric. */
export function hmcAlgorithm(trajectory: Trajectory, kind: MetricKind, adapts: boolean): Algorithm {
  const name = `hmc_${trajectory.name}_${kind.name}${adapts ? '_adapt' : ''}`;
  const learns = adapts && kind.arguments.length > 0;
  const adapted = learns ? 'step size and metric are' : 'the step size is';
  const drawColumns = ['lp__', 'accept_stat__', 'stepsize__', ...trajectory.columns, 'energy__'];
  return {
    name,
    functionName: `${kind.namespace}::services::sample::${name}`,
    description: `${trajectory.description} with a ${kind.description}; ${adapts ? `${adapted} adapted during warmup` : 'nothing is adapted'}.`,
    arguments: [
      ...commonArguments,
      ...drawArguments,
      ...warmupArguments,
      ...integratorArguments,
      ...trajectory.arguments,
      ...kind.arguments,
      ...(adapts ? stepSizeAdaptationArguments : []),
      ...(adapts ? kind.adaptationArguments : []),
      ...(learns ? [reparameterizeArgument, integrateArgument] : []),
      threadsArgument,
    ],
    inputs: ['init', 'warm_start', ...(trajectory.name === 'nuts' ? (['continue'] as const) : [])],
    metric: kind.name,
    draws: 'all',
    ...(kind.name === 'dense_e' && { matrices: 4 }),
    drawColumns,
    diagnosticColumns: (names) => phaseSpaceColumns(drawColumns, names),
    run: (settings, chain) => runHmc({ trajectory, kind, adapts, columnCount: drawColumns.length, settings, chain }),
  };
}
