import { type Static, Type } from 'typebox';
import { Compile } from 'typebox/compile';
import type { ArgumentValue } from '../../inference/algorithms/arguments.js';
import { AdaptationSchema, ChainProgressSchema, ErrorSchema, type OperationResource } from '../schemas.js';

const Numbers = Type.Array(Type.Number());
const ValueSchema = Type.Union([Type.Number(), Type.Boolean(), Type.String(), Numbers, Type.Array(Numbers)]);

const ChainSchema = Type.Object({
  ...ChainProgressSchema.properties,
  adaptation: Type.Optional(AdaptationSchema),
});

/** What is on disk of an operation. Enough to run it again and get the same draws. */
const RecordSchema = Type.Object({
  id: Type.String(),
  modelId: Type.String(),
  function: Type.String(),
  seed: Type.Integer(),
  arguments: Type.Unsafe<Readonly<Record<string, ArgumentValue>>>(Type.Record(Type.String(), ValueSchema)),
  save: Type.Optional(Type.Array(Type.String())),
  /** Texts of data and of other inputs; dropped when the operation has ended. */
  data: Type.Optional(Type.String()),
  inputs: Type.Optional(
    Type.Object({
      init: Type.Optional(Type.String()),
      mode: Type.Optional(Type.String()),
      fitted_params: Type.Optional(Type.String()),
    }),
  ),
  chains: Type.Array(ChainSchema),
  created: Type.String(),
  ended: Type.Optional(Type.String()),
  /** How it ended: the error, or nothing when the fit is there. */
  error: Type.Optional(ErrorSchema),
});

const validator = Compile(RecordSchema);

export type OperationRecord = Static<typeof RecordSchema>;
export type ChainRecord = Static<typeof ChainSchema>;

/** Reads what `writeRecord` wrote; undefined when it is something else, such as the record of another version. */
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

export function fitName(record: OperationRecord): string {
  return `models/${record.modelId}/fits/${record.id}`;
}

/** An operation waits until one of its chains has begun. */
export function stateOf({ chains, ended }: OperationRecord): 'waiting' | 'running' | 'done' {
  if (ended !== undefined) return 'done';
  return chains.every(({ state }) => state === undefined || state === 'waiting') ? 'waiting' : 'running';
}

/** An operation as clients see it. `place` is that of a waiting one in the queue, from 1. */
export function operationResource(record: OperationRecord, place?: number): OperationResource {
  const { id, chains, ended, error } = record;
  const progress = furthestBehind(chains)?.progress;
  const adaptation = chains.flatMap(({ chain, adaptation }) =>
    adaptation === undefined ? [] : [{ chain, ...adaptation }],
  );
  const metadata = {
    fit: { name: fitName(record) },
    function: record.function,
    random_seed: record.seed,
    ...(progress === undefined ? {} : { progress }),
    state: stateOf(record),
    ...(place !== undefined && { place }),
    chains: chains.map(({ adaptation: _, ...chain }) => chain),
    ...(adaptation.length > 0 && { adaptation }),
    created: record.created,
    ...(ended === undefined ? {} : { ended }),
  };
  const operation = { name: `operations/${id}`, done: ended !== undefined, metadata };
  return ended === undefined ? operation : { ...operation, result: error ?? { name: fitName(record) } };
}

/** An operation in a list, without what may be long. */
export function listedOperation(record: OperationRecord, place?: number): OperationResource {
  return operationResource({ ...record, chains: record.chains.map(({ adaptation: _, ...chain }) => chain) }, place);
}

/** Of the chains that have reported, the one with the fewest iterations. */
function furthestBehind(chains: readonly ChainRecord[]): ChainRecord | undefined {
  const reported = chains.filter((chain) => chain.iteration !== undefined);
  return reported.sort((a, b) => (a.iteration ?? 0) - (b.iteration ?? 0))[0];
}
