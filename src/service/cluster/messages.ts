/** Messages between servers and workers through NATS, validated like requests of clients. */
import { type Static, type TSchema, Type } from 'typebox';
import { Compile } from 'typebox/schema';
import type { RunProgress } from '../../chain/request.js';
import { FLAWS } from '../../fit-files/checksums.js';
import { STORAGE_FAULTS } from '../../node/system-errors.js';
import type { ChainBlock, ChainResult } from '../queue/queue.js';
import {
  AdaptationSchema,
  ChainEstimateSchema,
  ChainProgressSchema,
  CurrentShortfallSchema,
  StoppedSchema,
} from '../schemas/operations.js';
import { FailureDetailSchema } from '../schemas/shared.js';

const { chain: _chain, state: _state, draws: _draws, ...progress } = ChainProgressSchema.properties;

const Progress = Type.Object({
  draws: Type.Integer(),
  gradients: Type.Integer(),
  estimates: Type.Optional(Type.Array(ChainEstimateSchema)),
  ...progress,
});

const Times = Type.Object({ warmup: Type.Number(), sampling: Type.Number() });

const Block = Type.Object({
  index: Type.Integer({ minimum: 0 }),
  seconds: Type.Optional(Times),
  before: Type.Optional(
    Type.Object({
      draws: Type.Integer(),
      gradients: Type.Integer(),
      divergences: Type.Optional(Type.Integer()),
      treedepth_hits: Type.Optional(Type.Integer()),
    }),
  ),
  shortfall: Type.Optional(CurrentShortfallSchema),
  stopped: Type.Optional(StoppedSchema),
  isComplete: Type.Optional(Type.Literal(true)),
});

const Result = Type.Union([
  Type.Object({
    kind: Type.Literal('finished'),
    adaptation: Type.Optional(AdaptationSchema),
    seconds: Type.Optional(Times),
  }),
  Type.Object({ kind: Type.Enum(['interrupted', 'shortage']) }),
  Type.Object({ kind: Type.Literal('storage fault'), fault: Type.Enum([...STORAGE_FAULTS]) }),
  Type.Object({
    kind: Type.Literal('lack of space'),
    limit: Type.Enum(['operation', 'reserve']),
    bytes: Type.Integer(),
  }),
  Type.Object({ kind: Type.Literal('refused'), message: Type.String(), detail: Type.Optional(FailureDetailSchema) }),
  Type.Object({ kind: Type.Literal('damaged'), path: Type.String(), flaw: Type.Enum([...FLAWS]) }),
  Type.Object({ kind: Type.Literal('stopped'), reason: Type.Enum(['memory', 'crashed']), message: Type.String() }),
  Type.Object({ kind: Type.Literal('fault'), report: Type.String() }),
]);

const part = { block: Type.Optional(Block), progress: Type.Optional(Progress) };

const State = Type.Union([
  Type.Object({ kind: Type.Literal('waiting'), ...part }),
  Type.Object({ kind: Type.Literal('taken'), ...part }),
  Type.Object({ kind: Type.Literal('ended'), result: Result, ...part }),
]);

/** Progress of a chain, sent by its worker. */
const Report = Type.Object({ owner: Type.String(), progress: Progress });

/** State of a chain or of its latest block: waiting, taken by a worker, or ended with a result. */
export type ChainState = (
  | { readonly kind: 'waiting' }
  | { readonly kind: 'taken' }
  | { readonly kind: 'ended'; readonly result: ChainResult }
) & {
  readonly block?: ChainBlock;
  /** Progress of the chain; while it waits, that of the previous block. */
  readonly progress?: RunProgress;
};

/** Progress of a chain. */
export interface ChainReport {
  /** Owner of the lease under which the chain runs. */
  readonly owner: string;
  readonly progress: RunProgress;
}

/** These parsers return undefined for an invalid message. */
export const readState: (text: string) => ChainState | undefined = readerOf(State);
export const readReport: (text: string) => ChainReport | undefined = readerOf(Report);

/** Returns a parser of JSON that validates against a schema. */
export function readerOf<Schema extends TSchema>(schema: Schema): (text: string) => Static<Schema> | undefined {
  const validator = Compile(schema);
  return (text) => {
    const value = parse(text);
    return validator.Check(value) ? value : undefined;
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
