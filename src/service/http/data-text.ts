import { JsonText } from '../../formats/stan-json.js';
import { problems } from '../errors.js';

/** Data as text for a worker; an empty object if absent. `field` is the JSON pointer to the data in the request. */
export function dataText(value: unknown, field = '/data'): string {
  return value === undefined ? '{}' : objectText(value, field);
}

/** An object as text for a worker. Throws if `field` is not an object. */
export function objectText(value: unknown, field: string): string {
  if (value instanceof JsonText && value.text.startsWith('{')) return value.text;
  throw problems.invalidRequest([{ field, message: 'must be an object with one member per variable' }]);
}
