import type { Type } from '../language/types.js';
import { levelOf } from './builder.js';
import type { CompositeValue, Value } from './value.js';

/** A value of `type` that consists of `parts`, one for each type of `partsOf(type)`. */
export function composite(type: Type, parts: readonly Value[]): CompositeValue {
  return { kind: 'composite', type, level: levelOf(parts), parts };
}

/** A tuple of these values. */
export function tupleOf(slots: readonly Value[]): CompositeValue {
  return composite({ kind: 'tuple', elements: slots.map((slot) => slot.type) }, slots);
}
