/** Types and shapes of JSON data, for a data block that declares them. */
import type { DataMember } from '#engine/derive/data-block.js';
import { type JsonData, Real, type StanJson } from '#engine/formats/stan-json.js';

type Shape = Omit<DataMember, 'name'>;

const OTHER: Shape = { type: 'other', sizes: [] };

export function shapesOf(data: JsonData): readonly DataMember[] {
  return Object.entries(data).map(([name, value]) => ({ name, ...shapeOf(value) }));
}

function shapeOf(value: StanJson): Shape {
  if (typeof value === 'number') return { type: 'int', sizes: [], range: [value, value] };
  // Strings are numbers that JSON cannot represent.
  if (value instanceof Real || typeof value === 'string') return { type: 'real', sizes: [] };
  if (value instanceof Float64Array) return { type: 'real', sizes: [value.length] };
  if (!Array.isArray(value)) return OTHER;
  const elements: readonly Shape[] = value.map(shapeOf);
  const [first] = elements;
  if (first === undefined) return { type: 'real', sizes: [0] };
  const isEven = elements.every(({ type, sizes }) => type !== 'other' && sizes.join() === first.sizes.join());
  if (!isEven) return OTHER;
  const sizes = [value.length, ...first.sizes];
  const ranges = elements.flatMap(({ range, type }) => (type === 'int' && range !== undefined ? [range] : []));
  if (ranges.length < elements.length) return { type: 'real', sizes };
  const range = ranges.reduce(([least, greatest], [low, high]) => [Math.min(least, low), Math.max(greatest, high)]);
  return { type: 'int', sizes, range };
}
