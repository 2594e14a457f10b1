/** Schemas of the comparison of fits: its request, and its result. */
import { type Static, Type } from 'typebox';
import { DataField, LooBody } from './evaluations.js';
import { LooEstimates } from './predictions.js';
import { closed, NumberValue, StatementSchema } from './shared.js';

/** Maximum number of fits in a comparison. All are protected from eviction while it is computed. */
const MOST_FITS = 100;

export const ComparisonBody = Type.Object(
  {
    fits: Type.Array(
      Type.Object(
        {
          ...LooBody.properties,
          name: Type.String({ description: 'models/<model_id>/fits/<fit_id>' }),
          variable: Type.Optional(
            Type.String({
              description: 'The variable with the log likelihood of each observation; log_lik by default.',
            }),
          ),
        },
        { ...closed, title: 'FitToCompare' },
      ),
      { minItems: 2, maxItems: MOST_FITS, description: 'Fits of the same observations.' },
    ),
    data: Type.Optional(DataField),
  },
  {
    ...closed,
    title: 'ComparisonRequest',
    description: 'The data of fits for which no data are given.',
  },
);

export const ComparisonSchema = Type.Object(
  {
    models: Type.Array(
      Type.Object(
        {
          name: Type.String({ description: 'models/<model_id>/fits/<fit_id>' }),
          elpd_diff: Type.Number({ description: 'elpd_loo minus elpd_loo of the best model; 0 for the best model.' }),
          se_diff: NumberValue,
          p_worse: NumberValue,
          stacking: Type.Number({
            description: 'Weight in the average of predictive distributions that predicts best (stacking).',
          }),
          pseudo_bma_plus: Type.Number({
            description: "Weight by pseudo-BMA+, which depends on the model's own predictions only.",
          }),
          ...LooEstimates,
        },
        { title: 'ComparedModel' },
      ),
      { description: 'The best first.' },
    ),
    observations: Type.Integer({ description: 'Number of observations.' }),
    text: Type.String({ description: 'Reasons why the numbers may be less reliable than they seem.' }),
    statements: Type.Array(StatementSchema, { description: 'The sentences of the text.' }),
  },
  { title: 'Comparison' },
);
export type ComparisonResource = Static<typeof ComparisonSchema>;
