/** Schemas of fits and reports on them. */
import { type Static, Type } from 'typebox';
import { CHECKS } from '../../inference/diagnostics/findings.js';
import { StoppedSchema } from './operations.js';
import { HeldOutSchema } from './refits.js';
import { NumbersQuery, NumberValue, StatementSchema } from './shared.js';

export const FitParameters = Type.Object({ model_id: Type.String(), fit_id: Type.String() });

/** Selects draws of a fit. */
const drawsQuery = {
  variables: Type.Optional(
    Type.String({ description: 'Variables or single columns, separated by commas: theta,mu or theta.1.' }),
  ),
  chain: Type.Optional(
    Type.String({ pattern: '^\\d{1,10}$', description: 'The id of one chain. All chains by default.' }),
  ),
  first: Type.Optional(
    Type.String({ pattern: '^[1-9]\\d{0,14}$', description: 'The first draw of each chain, counted from 1.' }),
  ),
  last: Type.Optional(Type.String({ pattern: '^[1-9]\\d{0,14}$', description: 'The last draw of each chain.' })),
};

export const ReportQuery = Type.Object({ ...NumbersQuery.properties, ...drawsQuery });

export const FitQuery = Type.Object({
  ...NumbersQuery.properties,
  ...drawsQuery,
  warmup: Type.Optional(
    Type.Enum(['true', 'false'], {
      description:
        'Whether the rows before the draws are sent: saved draws of warmup, the mean of a variational approximation, iterations of an optimizer. True by default.',
    }),
  ),
  format: Type.Optional(
    Type.Enum(['ndjson', 'csv', 'arrow'], {
      description: "Messages, CmdStan's CSV, or an Arrow IPC stream. The Accept header selects the default.",
    }),
  ),
  follow: Type.Optional(Type.Enum(['true', 'false'], { description: 'Stream the messages of an unfinished fit.' })),
});

/** Headers that select bytes of a fit, or make the response depend on the client's copy. */
export const RangeHeaders = Type.Object({
  range: Type.Optional(
    Type.String({ description: 'One range of bytes, such as `bytes=1000-`. Several ranges return the whole fit.' }),
  ),
  'if-range': Type.Optional(
    Type.String({ description: 'The `ETag` of an earlier response; the whole fit is returned if it has changed.' }),
  ),
  'if-none-match': Type.Optional(Type.String({ description: '`ETag`s of earlier responses.' })),
});

const ArgumentValues = Type.Record(Type.String(), Type.Unknown(), { title: 'ArgumentValues' });

export const FitSchema = Type.Object(
  {
    name: Type.String({ description: 'models/<model_id>/fits/<fit_id>' }),
    function: Type.String(),
    arguments: Type.Unsafe<object>(ArgumentValues),
    random_seed: Type.Integer(),
    prior: Type.Optional(Type.Literal(true, { description: 'The draws are from the prior distribution.' })),
    simulations: Type.Optional(
      Type.Integer({
        description: 'Number of data sets of simulation-based calibration. The draws of the fit are ranks.',
      }),
    ),
    refits: Type.Optional(HeldOutSchema),
    chains: Type.Array(Type.Integer()),
    stopped: Type.Optional(StoppedSchema),
    created: Type.String({ description: 'When the request was accepted (ISO 8601).' }),
    ended: Type.Optional(Type.String()),
    bytes: Type.Integer({ description: 'Size on disk.' }),
  },
  { title: 'Fit' },
);
export type FitResource = Static<typeof FitSchema>;

export const SummarySchema = Type.Object(
  {
    name: Type.String({ description: 'models/<model_id>/fits/<fit_id>' }),
    chains: Type.Array(Type.Integer()),
    draws: Type.Integer({ description: 'Draws per chain after warmup.' }),
    stopped: Type.Optional(StoppedSchema),
    variables: Type.Array(
      Type.Object(
        {
          name: Type.String(),
          mean: NumberValue,
          mcse_mean: NumberValue,
          sd: NumberValue,
          mcse_sd: NumberValue,
          q5: NumberValue,
          q50: NumberValue,
          q95: NumberValue,
          ess_bulk: NumberValue,
          ess_tail: NumberValue,
          rhat: NumberValue,
        },
        { title: 'VariableSummary' },
      ),
    ),
  },
  { title: 'Summary' },
);
export type SummaryResource = Static<typeof SummarySchema>;

export const DiagnosisSchema = Type.Object(
  {
    name: Type.String({ description: 'models/<model_id>/fits/<fit_id>' }),
    ok: Type.Boolean({ description: 'True if no problems were found.' }),
    findings: Type.Array(
      Type.Object(
        {
          check: Type.Enum([...CHECKS], {
            title: 'Check',
            description:
              'generated: values of generated quantities are NaN or infinite. simulations: no parameter is sampled, so there is no convergence to check.',
          }),
          ok: Type.Boolean(),
          message: Type.String({ description: 'The problem, and what to do about it.' }),
          statements: Type.Array(StatementSchema, { description: 'The sentences of the message.' }),
          concerns: Type.Array(
            Type.Object(
              {
                name: Type.String(),
                value: NumberValue,
                chain: Type.Optional(Type.Integer({ description: 'The id of a chain.' })),
              },
              { title: 'Concern' },
            ),
            { description: 'At most 100 quantities or chains with the problem, the worst first.' },
          ),
          limit: Type.Optional(
            Type.Number({
              description:
                'The limit that the values violate, such as the maximum R-hat or the minimum effective sample size.',
            }),
          ),
        },
        { title: 'Finding' },
      ),
    ),
    text: Type.String({ description: 'All messages, one per paragraph.' }),
    stopped: Type.Optional(StoppedSchema),
  },
  { title: 'Diagnosis' },
);
export type DiagnosisResource = Static<typeof DiagnosisSchema>;
