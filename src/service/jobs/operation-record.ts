import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import type { ArgumentValue } from '../../inference/algorithms/arguments.js';
import { ErrorSchema, type OperationResource } from '../schemas.js';

const Numbers = Type.Array(Type.Number());
const ValueSchema = Type.Union([Type.Number(), Type.Boolean(), Type.String(), Numbers, Type.Array(Numbers)]);

const ChainSchema = Type.Object({
  chain: Type.Integer(),
  iteration: Type.Optional(Type.Integer()),
  progress: Type.Optional(Type.String()),
});

/** What is on disk of an operation. Enough to run it again and get the same draws. */
const RecordSchema = Type.Object({
  id: Type.String(),
  modelId: Type.String(),
  function: Type.String(),
  seed: Type.Integer(),
  arguments: Type.Unsafe<Readonly<Record<string, ArgumentValue>>>(Type.Record(Type.String(), ValueSchema)),
  /** Texts of data and initial values; dropped when the operation has ended. */
  data: Type.Optional(Type.String()),
  init: Type.Optional(Type.String()),
  chains: Type.Array(ChainSchema),
  created: Type.String(),
  ended: Type.Optional(Type.String()),
  /** How it ended: the error, or nothing when the fit is there. */
  error: Type.Optional(ErrorSchema),
});

export type OperationRecord = Static<typeof RecordSchema>;
export type ChainRecord = Static<typeof ChainSchema>;

/** Reads what `writeRecord` wrote; undefined when it is something else, such as the record of another version. */
export function readRecord(text: string): OperationRecord | undefined {
  const record: unknown = JSON.parse(text);
  return Value.Check(RecordSchema, record) ? record : undefined;
}

export function writeRecord(record: OperationRecord): string {
  return JSON.stringify(record);
}

export function fitName(record: OperationRecord): string {
  return `models/${record.modelId}/fits/${record.id}`;
}

/** An operation as clients see it. */
export function operationResource(record: OperationRecord): OperationResource {
  const { id, chains, ended, error } = record;
  const progress = furthestBehind(chains)?.progress;
  const metadata = {
    fit: { name: fitName(record) },
    function: record.function,
    random_seed: record.seed,
    ...(progress === undefined ? {} : { progress }),
    chains: chains.map(({ chain, progress }) => (progress === undefined ? { chain } : { chain, progress })),
    created: record.created,
    ...(ended === undefined ? {} : { ended }),
  };
  const operation = { name: `operations/${id}`, done: ended !== undefined, metadata };
  return ended === undefined ? operation : { ...operation, result: error ?? { name: fitName(record) } };
}

/** Of the chains that have reported, the one with the fewest iterations. */
function furthestBehind(chains: readonly ChainRecord[]): ChainRecord | undefined {
  const reported = chains.filter((chain) => chain.iteration !== undefined);
  return reported.sort((a, b) => (a.iteration ?? 0) - (b.iteration ?? 0))[0];
}
