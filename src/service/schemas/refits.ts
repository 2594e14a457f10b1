/** Schemas of cross-validation with refits: its request, and its result. */
import { type Static, Type } from 'typebox';
import { NumberValue, StatementSchema } from './shared.js';

export const HeldOutSchema = Type.Union(
  [
    Type.Object({ folds: Type.Integer() }, { title: 'RandomFolds' }),
    Type.Object({ groups: Type.String() }, { title: 'GroupedFolds' }),
    Type.Object(
      { observations: Type.Unsafe<readonly string[]>(Type.Array(Type.String())) },
      { title: 'SingleObservations' },
    ),
  ],
  {
    title: 'HeldOut',
    description: 'The observations that refits of cross-validation leave out. The draws of the fit are estimates.',
  },
);

export const RefitPlanSchema = Type.Object({ held: HeldOutSchema, chains: Type.Integer() });

export const RefitsSchema = Type.Object(
  {
    name: Type.String({ description: 'models/<model_id>/fits/<fit_id>' }),
    elpd_kfold: NumberValue,
    se_elpd_kfold: NumberValue,
    mcse_elpd_kfold: NumberValue,
    /** -2 elpd_kfold. */
    kfoldic: NumberValue,
    se_kfoldic: NumberValue,
    ok: Type.Boolean({ description: 'Whether the chains of all refits agree.' }),
    text: Type.String({ description: 'The verdict.' }),
    statements: Type.Array(StatementSchema, { description: 'The sentences of the text.' }),
    observations: Type.Array(
      Type.Object(
        {
          name: Type.String({ description: 'An element of an outcome, such as y.3.' }),
          fold: Type.Integer({ description: 'The number of the refit that leaves it out.' }),
          elpd_kfold: NumberValue,
          mcse_elpd_kfold: NumberValue,
        },
        { title: 'RefittedObservation' },
      ),
    ),
    refits: Type.Array(
      Type.Object(
        {
          fold: Type.Integer(),
          observations: Type.Integer({ description: 'Number of observations that the refit leaves out.' }),
          rhat: NumberValue,
          divergences: Type.Integer({ description: 'Divergent transitions after warmup.' }),
        },
        { title: 'Refit' },
      ),
    ),
  },
  { title: 'Refits' },
);
export type RefitsResource = Static<typeof RefitsSchema>;
