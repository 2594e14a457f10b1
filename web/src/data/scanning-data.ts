/** What data contain, in a form that a worker can return: where members are, or where the text is not JSON. */
import { JsonSyntaxError, parseStanData } from '#engine/formats/stan-json.js';
import { reasonOf } from '../reasons.js';
import { memberPlaces, type Place } from './member-places.js';

/** The locations of the names of members. */
export type Places = ReadonlyMap<string, Place>;

/** The names of all members with their locations, or the reason why the text cannot be read. */
export type Scanned = { readonly places: Places } | ({ readonly unreadable: string } & Place);

export function scanData(text: string): Scanned {
  try {
    parseStanData(text);
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) return { unreadable: reasonOf(error), from: 0, to: text.length };
    const from = Math.min(text.length, offsetOf(text, error.line, error.column));
    return { unreadable: error.message, from, to: Math.min(text.length, from + 1) };
  }
  return { places: memberPlaces(text) };
}

/** Line and column count from 1. */
function offsetOf(text: string, line: number, column: number): number {
  let offset = 0;
  for (let k = 1; k < line; k++) offset = text.indexOf('\n', offset) + 1;
  return offset + column - 1;
}
