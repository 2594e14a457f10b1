/** The schema of the result of simulation-based calibration. */
import { type Static, Type } from 'typebox';
import { StatementSchema } from './shared.js';

const Fractions = Type.Array(Type.Number());

export const CalibrationSchema = Type.Object(
  {
    name: Type.String({ description: 'models/<model_id>/fits/<fit_id>' }),
    ok: Type.Boolean({
      description: 'Whether the ranks of all quantities are compatible with a uniform distribution.',
    }),
    text: Type.String({ description: 'The verdict.' }),
    statements: Type.Array(StatementSchema, { description: 'The sentences of the text.' }),
    simulations: Type.Integer({ description: 'Number of fits.' }),
    greatest_rank: Type.Integer({ description: 'Number of draws of each fit among which a value is ranked.' }),
    divergent_fits: Type.Integer({ description: 'Number of fits with divergent transitions after warmup.' }),
    places: Type.Array(Type.Number(), { description: 'Fractions of the possible ranks.' }),
    band: Type.Array(Type.Number(), {
      description:
        'Half-width of the band at each of `places`. If ranks are uniform, all differences of a quantity are within the band with probability 0.95.',
    }),
    quantities: Type.Array(
      Type.Object(
        {
          name: Type.String({ description: 'A column of parameters.' }),
          ranks: Type.Array(Type.Integer(), {
            description: 'For each fit, the number of its draws below the value with which its data were simulated.',
          }),
          differences: Fractions,
          probability: Type.Number({
            description: 'Probability of a difference at least as large as the largest one, if ranks are uniform.',
          }),
        },
        { title: 'CalibratedQuantity' },
      ),
    ),
  },
  { title: 'Calibration' },
);
export type CalibrationResource = Static<typeof CalibrationSchema>;
