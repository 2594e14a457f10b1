/** Schemas of operations and the progress of their chains. */
import { type Static, Type } from 'typebox';
import { STATISTICS } from '../../inference/diagnostics/precision.js';
import { HeldOutSchema } from './refits.js';
import { ErrorSchema, immutable, NumbersQuery } from './shared.js';

export const OperationParameters = Type.Object({ operation_id: Type.String() });

export const EventsQuery = Type.Object({
  ...NumbersQuery.properties,
  draws: Type.Optional(Type.Enum(['true', 'false'], { description: 'Whether draws are also sent.' })),
});

const Finite = Type.Array(Type.Number());

/** Step size and metric of a sampler after warmup, in the form of the arguments of the same names. */
export const AdaptationSchema = Type.Object(
  {
    stepsize: Type.Number(),
    inv_metric: Type.Optional(Type.Union([Finite, Type.Array(Finite)], { title: 'InverseMetric' })),
  },
  { title: 'Adaptation' },
);

const State = Type.Enum(['waiting', 'running', 'done'], { title: 'State' });

/** The rule for stopping, as in a request. */
export const UntilSchema = immutable(
  Type.Object(
    {
      ess_bulk: Type.Optional(
        Type.Number({ exclusiveMinimum: 0, description: 'Minimum effective sample size of means and medians.' }),
      ),
      ess_tail: Type.Optional(
        Type.Number({
          exclusiveMinimum: 0,
          description: 'Minimum effective sample size of the 5 % and 95 % quantiles.',
        }),
      ),
      rhat: Type.Optional(Type.Number({ exclusiveMinimum: 1, description: 'Maximum R-hat.' })),
      mcse_mean: Type.Optional(
        Type.Number({
          exclusiveMinimum: 0,
          description: 'Maximum Monte Carlo standard error of the mean, in the unit of the quantity.',
        }),
      ),
      mcse_sd: Type.Optional(
        Type.Number({
          exclusiveMinimum: 0,
          description: 'Maximum Monte Carlo standard error of the standard deviation, in the unit of the quantity.',
        }),
      ),
      quantities: Type.Optional(
        Type.Array(Type.String(), {
          minItems: 1,
          description:
            'Variables or elements that must be precise; parameters, transformed parameters and the log density by default.',
        }),
      ),
      max_iterations: Type.Optional(
        Type.Integer({
          description: 'Maximum number of iterations of a chain after warmup; 10 times num_samples by default.',
        }),
      ),
    },
    {
      additionalProperties: false,
      title: 'Until',
      description:
        'Stops the run when the draws of all chains are precise enough, checked after every num_samples iterations.',
    },
  ),
);

const ShortfallSchema = Type.Object(
  {
    quantity: Type.String({ description: 'A column of draws.' }),
    statistic: Type.Enum([...STATISTICS], { title: 'Statistic' }),
    value: Type.Optional(Type.Number({ description: 'Absent if the statistic cannot be computed.' })),
    limit: Type.Number(),
  },
  { title: 'Shortfall', description: 'The quantity that is furthest from its limit.' },
);

/** The quantity that is not precise enough after a number of iterations. */
export const CurrentShortfallSchema = Type.Object(
  {
    iterations: Type.Integer({ description: 'Iterations of each chain after warmup.' }),
    ...ShortfallSchema.properties,
  },
  {
    title: 'CurrentShortfall',
    description: 'The quantity that was furthest from its limit when the run was last checked.',
  },
);
export type CurrentShortfall = Static<typeof CurrentShortfallSchema>;

/** Why a run with `until` has stopped. */
export const StoppedSchema = Type.Object(
  {
    reason: Type.Enum(['precise', 'max_iterations', 'cancelled'], { title: 'StopReason' }),
    iterations: Type.Integer({ description: 'Iterations of each chain after warmup.' }),
    shortfall: Type.Optional(ShortfallSchema),
    message: Type.String({ description: 'The last line of the log.' }),
  },
  { title: 'Stopped', description: 'Why a run with until has stopped.' },
);
export type StoppedResource = Static<typeof StoppedSchema>;

/** The draws of a run with `on_cancel: "keep"` that a cancellation keeps. */
export const KeptSchema = Type.Object(
  {
    iterations: Type.Integer({ description: 'Iterations of each chain after warmup.' }),
    draws: Type.Integer({ description: 'Draws of all chains after warmup.' }),
    name: Type.Optional(
      Type.String({ description: 'models/<model_id>/fits/<fit_id>. The fit, after a cancellation that kept draws.' }),
    ),
  },
  {
    title: 'Kept',
    description:
      'With on_cancel keep. While the operation runs: the draws that a cancellation now would keep at least, those of the blocks that all chains have completed. After a cancellation: the draws that were kept. Progress of chains includes later draws.',
  },
);
export type KeptResource = Static<typeof KeptSchema>;

/** Estimates of a quantity in a running chain. Not sent to clients. */
export const ChainEstimateSchema = Type.Object({
  name: Type.String(),
  halves: Type.Array(Type.Number()),
  variance: Type.Number(),
  ess: Type.Number(),
});

const RunningEstimateSchema = Type.Object(
  { name: Type.String({ description: 'A column of draws.' }), rhat: Type.Number(), ess: Type.Number() },
  { title: 'RunningEstimate' },
);

/** Progress of a chain. */
export const ChainProgressSchema = Type.Object(
  {
    chain: Type.Integer(),
    state: Type.Optional(State),
    progress: Type.Optional(Type.String({ description: "Stan's progress line." })),
    iteration: Type.Optional(Type.Integer({ description: 'The latest iteration, including warmup.' })),
    iterations: Type.Optional(Type.Integer({ description: 'Total number of iterations.' })),
    draws: Type.Optional(Type.Integer({ description: 'Saved draws so far.' })),
    divergences: Type.Optional(Type.Integer({ description: 'Divergent transitions among those draws.' })),
    treedepth_hits: Type.Optional(
      Type.Integer({ description: 'Transitions to those draws at the maximum tree depth.' }),
    ),
    e_bfmi: Type.Optional(
      Type.Number({
        description:
          'Bayesian fraction of missing information (E-BFMI) of the draws after warmup; with until, of the draws in the current block.',
      }),
    ),
    step_size: Type.Optional(Type.Number()),
    seconds_left: Type.Optional(Type.Number({ description: 'An estimate.' })),
  },
  { title: 'ChainProgress' },
);

export const OperationSchema = Type.Object(
  {
    name: Type.String({ description: 'operations/<operation_id>' }),
    done: Type.Boolean({ description: 'Whether the operation has ended, successfully or not.' }),
    metadata: Type.Optional(
      Type.Object(
        {
          fit: Type.Object(
            { name: Type.String({ description: 'models/<model_id>/fits/<fit_id>' }) },
            { title: 'FitReference' },
          ),
          function: Type.String(),
          random_seed: Type.Integer(),
          progress: Type.Optional(
            Type.String({ description: "Stan's progress line of the chain that is furthest behind." }),
          ),
          state: State,
          place: Type.Optional(Type.Integer({ description: 'Position of a waiting operation in the queue, from 1.' })),
          prior: Type.Optional(Type.Literal(true, { description: 'The draws are from the prior distribution.' })),
          simulations: Type.Optional(
            Type.Integer({
              description: 'Number of data sets of simulation-based calibration. The draws of the fit are ranks.',
            }),
          ),
          refits: Type.Optional(HeldOutSchema),
          chains: Type.Array(ChainProgressSchema),
          adaptation: Type.Optional(
            Type.Array(
              Type.Object({ chain: Type.Integer(), ...AdaptationSchema.properties }, { title: 'ChainAdaptation' }),
              {
                description: "Step size and metric of a sampler's chains after warmup. Not in lists.",
              },
            ),
          ),
          estimates: Type.Optional(
            Type.Array(RunningEstimateSchema, {
              description:
                'While a sampler runs: approximate R-hat and effective sample sizes of the draws after warmup (with until, of the current block). Contains the 5 worst of the log density and the first 50 parameters, the worst first.',
            }),
          ),
          shortfall: Type.Optional(CurrentShortfallSchema),
          stopped: Type.Optional(StoppedSchema),
          kept: Type.Optional(KeptSchema),
          created: Type.String({ description: 'When the request was accepted (ISO 8601).' }),
          ended: Type.Optional(Type.String()),
        },
        { title: 'OperationMetadata' },
      ),
    ),
    result: Type.Optional(
      Type.Object(
        { name: Type.Optional(Type.String()), ...Type.Partial(ErrorSchema).properties },
        { title: 'OperationResult', description: 'The fit, or the error if the operation failed.' },
      ),
    ),
  },
  { title: 'Operation' },
);
export type OperationResource = Static<typeof OperationSchema>;
