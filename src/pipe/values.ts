/** Values of variables in a request: JSON in which `{"$array": n}` refers to the binary part n. */
import type { StanValue, Variables } from '../library/public.js';

/** A binary array: row-major doubles or 32-bit integers. Its bytes are a part of the payload. */
export interface ArrayPart {
  readonly type: 'float64' | 'int32';
  readonly shape: readonly number[];
}

/** A value as sent. */
export type SentValue =
  | number
  | string
  | { readonly $array: number }
  | readonly SentValue[]
  | { readonly [name: string]: SentValue };

export type SentVariables = Readonly<Record<string, SentValue>>;

/** Replaces references in a request with their arrays. */
export class ValueReader {
  private readonly arrays: readonly ArrayPart[];
  private readonly parts: readonly Uint8Array<ArrayBuffer>[];

  /** The arrays are the first parts. */
  constructor(arrays: readonly ArrayPart[], parts: readonly Uint8Array<ArrayBuffer>[]) {
    this.arrays = arrays;
    this.parts = parts;
  }

  variables(sent: SentVariables): Variables {
    return Object.fromEntries(Object.entries(sent).map(([name, value]) => [name, this.value(value)]));
  }

  value(sent: SentValue): StanValue {
    if (typeof sent !== 'object') return sent;
    if (isList(sent)) return sent.map((element) => this.value(element));
    if (isReference(sent)) return this.array(sent.$array);
    return this.variables(sent);
  }

  private array(place: number): StanValue {
    const { shape, type } = this.arrays[place];
    const { buffer } = this.parts[place];
    return nested(type === 'int32' ? new Int32Array(buffer) : new Float64Array(buffer), shape);
  }
}

function nested(values: Float64Array | Int32Array, shape: readonly number[]): StanValue {
  if (shape.length === 0) return values[0];
  if (shape.length === 1) return values;
  const [count, ...inner] = shape;
  const size = inner.reduce((product, length) => product * length, 1);
  return Array.from({ length: count }, (_, index) => nested(values.subarray(index * size, (index + 1) * size), inner));
}

function isList(value: object): value is readonly SentValue[] {
  return Array.isArray(value);
}

function isReference(value: object): value is { readonly $array: number } {
  return '$array' in value && typeof value.$array === 'number';
}
