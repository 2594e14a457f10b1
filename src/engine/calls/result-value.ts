/** The value of a variable in Stan's JSON format, from its type, sizes, and numbers by name. */
import { countSizes } from '../../derive/callable.js';
import type { Type } from '../../language/types.js';

/** A number, arrays of them, a pair for a complex number, or an object with the members "1", "2", … for a tuple. */
export type JsonValue = number | JsonValue[] | { [slot: string]: JsonValue };

/** `names` are those of the numbers: `x.1.2`, `x:1.3`, `x.real`. */
export function resultValue(
  type: Type,
  sizes: readonly number[],
  names: readonly string[],
  values: Float64Array,
): JsonValue {
  const whole = { value: emptyValue(type, sizes) };
  for (const [position, name] of names.entries()) {
    // The first component is the variable's name.
    const [, ...path] = [...name.matchAll(/(?:^|[.:])[^.:]+/g)].map(([step]) => step);
    put(whole, ['value', ...path.map(keyOf)], values[position]);
  }
  return whole.value;
}

/** `.3` is the key 2 of an array, `:1` the key "1" of a tuple, and `.real` and `.imag` the keys of a pair. */
function keyOf(step: string): string {
  if (step === '.real') return '0';
  if (step === '.imag') return '1';
  return step.startsWith('.') ? String(Number(step.slice(1)) - 1) : step.slice(1);
}

function put(
  into: JsonValue[] | { [slot: string]: JsonValue },
  [key, ...path]: readonly string[],
  value: number,
): void {
  if (path.length > 0) {
    const member = Array.isArray(into) ? into[Number(key)] : into[key];
    if (typeof member !== 'object') throw new Error(`a value has no member ${key}`);
    put(member, path, value);
  } else if (Array.isArray(into)) {
    into[Number(key)] = value;
  } else {
    into[key] = value;
  }
}

function emptyValue(type: Type, sizes: readonly number[]): JsonValue {
  const [first = 0, second = 0] = sizes;
  const repeated = (count: number, make: () => JsonValue): JsonValue[] => Array.from({ length: count }, make);
  const pair = (): JsonValue => [0, 0];
  switch (type.kind) {
    case 'array':
      return repeated(first, () => emptyValue(type.element, sizes.slice(1)));
    case 'tuple': {
      let next = 0;
      return Object.fromEntries(
        type.elements.map((element, index) => {
          const start = next;
          next += countSizes(element);
          return [String(index + 1), emptyValue(element, sizes.slice(start, next))];
        }),
      );
    }
    case 'complex':
      return pair();
    case 'vector':
    case 'row_vector':
      return repeated(first, () => 0);
    case 'complex_vector':
    case 'complex_row_vector':
      return repeated(first, pair);
    case 'matrix':
      return repeated(first, () => repeated(second, () => 0));
    case 'complex_matrix':
      return repeated(first, () => repeated(second, pair));
    default:
      return 0;
  }
}
