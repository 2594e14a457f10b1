import { JsonText } from '../model/json.js';
import { problems } from './errors.js';

/** Data as text for a worker; a model without data gets an empty object. */
export function dataText(value: unknown): string {
  return value === undefined ? '{}' : objectText(value, '/data');
}

/** An object as text for a worker. Throws where `field` is none. */
export function objectText(value: unknown, field: string): string {
  if (value instanceof JsonText && value.text.startsWith('{')) return value.text;
  throw problems.invalidRequest([{ field, message: 'must be an object with one member a variable' }]);
}
