/** Schemas of reports on a model's predictions. */
import { type Static, Type } from 'typebox';
import { NumberValue } from './shared.js';

const common = {
  name: Type.String({ description: 'models/<model_id>/fits/<fit_id>' }),
  chains: Type.Array(Type.Integer()),
  draws: Type.Integer({ description: 'Draws per chain after warmup.' }),
};

/** Estimates of leave-one-out cross-validation. */
export const LooEstimates = {
  elpd_loo: Type.Number({ description: 'Expected log pointwise predictive density, over all observations.' }),
  se_elpd_loo: NumberValue,
  /** NaN if Pareto k of an observation is too large. */
  mcse_elpd_loo: NumberValue,
  p_loo: Type.Number({ description: 'Effective number of parameters.' }),
  se_p_loo: NumberValue,
  looic: Type.Number({ description: '-2 elpd_loo.' }),
  se_looic: NumberValue,
  k_threshold: Type.Number({ description: 'Estimates of observations with a greater Pareto k are unreliable.' }),
  ok: Type.Boolean({ description: 'Whether all estimates are reliable.' }),
  text: Type.String({ description: 'The result as text, with advice.' }),
};

export const LooSchema = Type.Object(
  {
    ...common,
    ...LooEstimates,
    observations: Type.Array(
      Type.Object(
        {
          name: Type.String({
            description:
              'The column with the log likelihood of the observation, such as log_lik.3. If it is derived from the program, the element of the outcome, such as y.3.',
          }),
          elpd_loo: Type.Number(),
          mcse_elpd_loo: NumberValue,
          p_loo: Type.Number(),
          pareto_k: NumberValue,
        },
        { title: 'LooObservation' },
      ),
    ),
  },
  { title: 'Loo' },
);
export type LooResource = Static<typeof LooSchema>;

export const PredictiveSchema = Type.Object(
  {
    ...common,
    variables: Type.Array(
      Type.Object(
        {
          simulated: Type.String({ description: 'The variable that simulates data.' }),
          observed: Type.Optional(
            Type.String({ description: 'Name of the data variable, if the request contains data.' }),
          ),
          statistics: Type.Array(
            Type.Object(
              {
                name: Type.Enum(['mean', 'sd', 'min', 'max']),
                q5: NumberValue,
                q50: NumberValue,
                q95: NumberValue,
                observed: Type.Optional(NumberValue),
                share_at_least: Type.Optional(
                  Type.Number({
                    description: 'Fraction of simulations whose statistic is at least that of the data.',
                  }),
                ),
              },
              { title: 'PredictiveStatistic' },
            ),
            { description: 'Statistics of whole data sets.' },
          ),
          observations: Type.Array(
            Type.Object(
              {
                name: Type.String(),
                q5: NumberValue,
                q25: NumberValue,
                q50: NumberValue,
                q75: NumberValue,
                q95: NumberValue,
                observed: Type.Optional(NumberValue),
                rank: Type.Optional(
                  Type.Number({
                    description:
                      'Fraction of simulations below the observed value, plus half the fraction of equal ones.',
                  }),
                ),
              },
              { title: 'PredictiveObservation' },
            ),
          ),
        },
        { title: 'PredictiveVariable' },
      ),
    ),
  },
  { title: 'Predictive' },
);
export type PredictiveResource = Static<typeof PredictiveSchema>;
