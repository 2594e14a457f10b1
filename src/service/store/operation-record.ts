import { type Static, Type } from 'typebox';
import { Compile } from 'typebox/schema';
import type { ArgumentValue } from '../../inference/algorithms/arguments.js';
import type { ChainEstimate } from '../../inference/diagnostics/running-estimates.js';
import {
  AdaptationSchema,
  ChainEstimateSchema,
  ChainProgressSchema,
  CurrentShortfallSchema,
  KeptSchema,
  StoppedSchema,
  UntilSchema,
} from '../schemas/operations.js';
import { RefitPlanSchema } from '../schemas/refits.js';
import { ErrorSchema } from '../schemas/shared.js';

const Numbers = Type.Array(Type.Number());
const ValueSchema = Type.Union([Type.Number(), Type.Boolean(), Type.String(), Numbers, Type.Array(Numbers)]);

const ChainSchema = Type.Object({
  ...ChainProgressSchema.properties,
  adaptation: Type.Optional(AdaptationSchema),
  estimates: Type.Optional(Type.Unsafe<readonly ChainEstimate[]>(Type.Array(ChainEstimateSchema))),
  /** The shortfall of all chains when their draws were last checked. */
  shortfall: Type.Optional(CurrentShortfallSchema),
  /** Number of blocks of iterations whose files are stored. */
  blocks: Type.Optional(Type.Integer()),
});

/** Earlier versions stored no reason. */
const StoredErrorSchema = Type.Object({
  ...ErrorSchema.properties,
  reason: Type.Optional(ErrorSchema.properties.reason),
});

/** Stored record of an operation. It is sufficient to produce the same draws again. */
const RecordSchema = Type.Object({
  id: Type.String(),
  modelId: Type.String(),
  function: Type.String(),
  seed: Type.Integer(),
  arguments: Type.Unsafe<Readonly<Record<string, ArgumentValue>>>(Type.Record(Type.String(), ValueSchema)),
  save: Type.Optional(Type.Array(Type.String())),
  /** Texts of data and other inputs; removed when the operation ends. */
  data: Type.Optional(Type.String()),
  inputs: Type.Optional(
    Type.Object({
      init: Type.Optional(Type.String()),
      warm_start: Type.Optional(Type.String()),
      continue: Type.Optional(Type.String()),
      mode: Type.Optional(Type.String()),
      fitted_params: Type.Optional(Type.String()),
    }),
  ),
  until: Type.Optional(UntilSchema),
  /** Whether the draws are those of the prior distribution. */
  prior: Type.Optional(Type.Literal(true)),
  /** Number of data sets of a calibration. */
  simulations: Type.Optional(Type.Integer()),
  refits: Type.Optional(RefitPlanSchema),
  chains: Type.Array(ChainSchema),
  /** Whether a cancelled operation keeps its draws, and what it has kept. */
  keeps: Type.Optional(Type.Literal(true)),
  kept: Type.Optional(KeptSchema),
  /** Why a run with `until` has stopped. */
  stopped: Type.Optional(StoppedSchema),
  created: Type.String(),
  ended: Type.Optional(Type.String()),
  /** The error with which the operation ended; absent if the fit exists. */
  error: Type.Optional(StoredErrorSchema),
});

const validator = Compile(RecordSchema);

export type OperationRecord = Static<typeof RecordSchema>;
export type ChainRecord = Static<typeof ChainSchema>;

/** Parses the output of `writeRecord`; undefined for any other text, such as a record of another version. */
export function readRecord(text: string): OperationRecord | undefined {
  const record = parse(text);
  return validator.Check(record) ? record : undefined;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function writeRecord(record: OperationRecord): string {
  return JSON.stringify(record);
}

/** Identifier of an attempt: a failed operation can be requested again. */
export function attemptOf({ id, created }: OperationRecord): string {
  return `${id}.${Date.parse(created)}`;
}
