/** Converts data to the form that the analysis of programs uses: numbers without their notation. */
import type { DataValue, DataValues } from '#engine/derive/data-faults.js';
import { isJsonObject, type JsonData, nonFiniteNumber, Real, type StanJson } from '#engine/formats/stan-json.js';

export function valuesOf(data: JsonData): DataValues {
  return Object.fromEntries(Object.entries(data).map(([name, value]) => [name, plainValue(value)]));
}

function plainValue(value: StanJson): DataValue {
  if (typeof value === 'string') return nonFiniteNumber(value) ?? value;
  if (value === null || typeof value !== 'object' || value instanceof Float64Array) return value;
  if (value instanceof Real) return value.value;
  if (isJsonObject(value)) return valuesOf(value);
  return Array.isArray(value) ? value.map(plainValue) : null;
}
