/** What servers and workers tell each other through NATS, checked as what clients send is. */
import { type Static, type TSchema, Type } from 'typebox';
import { Compile } from 'typebox/schema';
import type { RunProgress } from '../../run/request.js';
import type { ChainResult } from '../queue/queue.js';
import { AdaptationSchema, ChainProgressSchema } from '../schemas.js';

const { chain: _chain, state: _state, draws: _draws, ...progress } = ChainProgressSchema.properties;

const Progress = Type.Union([
  Type.Object({ kind: Type.Literal('begun') }),
  Type.Object({
    kind: Type.Literal('progress'),
    progress: Type.Object({ draws: Type.Integer(), gradients: Type.Integer(), ...progress }),
  }),
]);

const Result = Type.Union([
  Type.Object({ kind: Type.Literal('finished'), adaptation: Type.Optional(AdaptationSchema) }),
  Type.Object({ kind: Type.Enum(['interrupted', 'shortage', 'disk full']) }),
  Type.Object({ kind: Type.Literal('refused'), message: Type.String() }),
  Type.Object({ kind: Type.Literal('damaged'), path: Type.String() }),
  Type.Object({ kind: Type.Literal('stopped'), reason: Type.Enum(['memory', 'crashed']), message: Type.String() }),
  Type.Object({ kind: Type.Literal('fault'), report: Type.String() }),
]);

export type ProgressMessage =
  | { readonly kind: 'begun' }
  | { readonly kind: 'progress'; readonly progress: RunProgress };

/** Each returns undefined for what is no message of its kind. */
export const readProgress: (text: string) => ProgressMessage | undefined = readerOf(Progress);
export const readResult: (text: string) => ChainResult | undefined = readerOf(Result);

/** Reads JSON that fits a schema. */
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
