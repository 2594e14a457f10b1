/** The schema of the result of simulation-based calibration. */
import { type Static, Type } from 'typebox';
import { StatementSchema } from './shared.js';

const Fractions = Type.Array(Type.Number());

export const CalibrationSchema = Type.Object(
  {
    name: Type.String({ description: 'models/<model_id>/fits/<fit_id>' }),
    ok: Type.Boolean({ description: 'Whether the ranks of all quantities are compatible with uniform ones.' }),
    text: Type.String({ description: 'The verdict.' }),
    statements: Type.Array(StatementSchema, { description: 'The sentences of the text.' }),
    simulations: Type.Integer({ description: 'Number of fits.' }),
    greatest_rank: Type.Integer({ description: 'The number of draws of a fit that are counted.' }),
    divergent_fits: Type.Integer({ description: 'Number of fits with divergent transitions after warmup.' }),
    places: Type.Array(Type.Number(), { description: 'Fractions of the possible ranks.' }),
    band: Type.Array(Type.Number(), {
      description:
        'Half the width of the band that contains the differences of a quantity with uniform ranks with probability 0.95, at places.',
    }),
    quantities: Type.Array(
      Type.Object(
        {
          name: Type.String({ description: 'The column of a parameter.' }),
          ranks: Type.Array(Type.Integer(), {
            description: 'For each fit, the number of its draws below the value with which its data were simulated.',
          }),
          differences: Fractions,
          probability: Type.Number({
            description: 'Probability, for uniform ranks, of a difference at least as large as the greatest one.',
          }),
        },
        { title: 'CalibratedQuantity' },
      ),
    ),
  },
  { title: 'Calibration' },
);
export type CalibrationResource = Static<typeof CalibrationSchema>;
