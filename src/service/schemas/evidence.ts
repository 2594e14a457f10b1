/** Schemas of log evidences and their comparison. */
import { type Static, Type } from 'typebox';
import { DataField } from './evaluations.js';
import { closed, StatementSchema } from './shared.js';

/** Maximum number of fits in a comparison. All are protected from eviction while it is computed. */
const MOST_FITS = 100;

const name = Type.String({ description: 'models/<model_id>/fits/<fit_id>' });
const randomSeed = Type.Optional(
  Type.Integer({ minimum: 0, maximum: 2 ** 32 - 1, description: 'Seed of the draws of the proposals; 1 by default.' }),
);

export const EvidenceBody = Type.Object(
  { data: Type.Optional(DataField), random_seed: randomSeed },
  { ...closed, title: 'EvidenceRequest' },
);

const estimates = {
  log_evidence: Type.Number({
    description: 'The logarithm of the density of the data, averaged over the prior, with all constants.',
  }),
  se_log_evidence: Type.Number({ description: 'Monte Carlo standard error of log_evidence.' }),
  draws: Type.Integer({ description: 'Number of draws of the posterior.' }),
  ok: Type.Boolean({ description: 'Whether no check has found a problem.' }),
  text: Type.String({ description: 'The results of the checks, with advice.' }),
};

export const EvidenceSchema = Type.Object(
  { name, ...estimates, statements: Type.Array(StatementSchema, { description: 'The sentences of the text.' }) },
  { title: 'Evidence' },
);
export type EvidenceResource = Static<typeof EvidenceSchema>;

export const EvidenceComparisonBody = Type.Object(
  {
    fits: Type.Array(
      Type.Object(
        {
          name,
          data: Type.Optional(DataField),
          prior: Type.Optional(
            Type.Number({
              exclusiveMinimum: 0,
              description: 'Probability of the model before the data, up to a common factor; 1 by default.',
            }),
          ),
        },
        { ...closed, title: 'FitWithEvidence' },
      ),
      { minItems: 2, maxItems: MOST_FITS, description: 'Fits of the same outcomes.' },
    ),
    data: Type.Optional(DataField),
    random_seed: randomSeed,
  },
  {
    ...closed,
    title: 'EvidenceComparisonRequest',
    description: 'The data of fits for which no data are given.',
  },
);

export const EvidenceComparisonSchema = Type.Object(
  {
    models: Type.Array(
      Type.Object(
        {
          name,
          ...estimates,
          log_bayes_factor: Type.Number({ description: 'log_evidence minus log_evidence of the best model.' }),
          se_log_bayes_factor: Type.Number({ description: 'Monte Carlo standard error of log_bayes_factor.' }),
          prior: Type.Number({ description: 'Probability of the model before the data.' }),
          posterior: Type.Number({ description: 'Probability of the model given the data.' }),
        },
        { title: 'ModelWithEvidence' },
      ),
      { description: 'The one with the greatest evidence first.' },
    ),
    text: Type.String({ description: 'Reasons why the numbers may be less reliable than they seem.' }),
    statements: Type.Array(StatementSchema, { description: 'The sentences of the text.' }),
  },
  { title: 'EvidenceComparison' },
);
export type EvidenceComparisonResource = Static<typeof EvidenceComparisonSchema>;
