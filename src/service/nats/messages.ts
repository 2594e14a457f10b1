/** Messages between servers and workers through NATS, validated like requests of clients. */
import { type Static, type TSchema, Type } from 'typebox';
import { Compile } from 'typebox/schema';
import type { RunProgress } from '../../run/request.js';
import type { ChainResult } from '../queue/queue.js';
import { AdaptationSchema, ChainProgressSchema } from '../schemas.js';

const { chain: _chain, state: _state, draws: _draws, ...progress } = ChainProgressSchema.properties;

const Progress = Type.Object({ draws: Type.Integer(), gradients: Type.Integer(), ...progress });

const Result = Type.Union([
  Type.Object({ kind: Type.Literal('finished'), adaptation: Type.Optional(AdaptationSchema) }),
  Type.Object({ kind: Type.Enum(['interrupted', 'shortage', 'disk full']) }),
  Type.Object({ kind: Type.Literal('refused'), message: Type.String() }),
  Type.Object({ kind: Type.Literal('damaged'), path: Type.String() }),
  Type.Object({ kind: Type.Literal('stopped'), reason: Type.Enum(['memory', 'crashed']), message: Type.String() }),
  Type.Object({ kind: Type.Literal('fault'), report: Type.String() }),
]);

const State = Type.Union([
  Type.Object({ kind: Type.Literal('waiting') }),
  Type.Object({ kind: Type.Literal('taken'), progress: Type.Optional(Progress) }),
  Type.Object({ kind: Type.Literal('ended'), result: Result, progress: Type.Optional(Progress) }),
]);

/** Progress of a chain, sent by its worker. */
const Telling = Type.Object({ owner: Type.String(), progress: Progress });

/** State of a chain: waiting, taken by a worker, or ended with a result. */
export type ChainState =
  | { readonly kind: 'waiting' }
  | { readonly kind: 'taken'; readonly progress?: RunProgress }
  | { readonly kind: 'ended'; readonly result: ChainResult; readonly progress?: RunProgress };

/** Progress of a chain. */
export interface ChainTelling {
  /** Owner of the lease under which it runs. */
  readonly owner: string;
  readonly progress: RunProgress;
}

/** These return undefined for an invalid message. */
export const readState: (text: string) => ChainState | undefined = readerOf(State);
export const readTelling: (text: string) => ChainTelling | undefined = readerOf(Telling);

/** Returns a parser of JSON that validates a schema. */
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
