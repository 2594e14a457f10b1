/** Data simulated by the program itself: a draw of its generated quantities becomes the data of the next run. */
import type { Fit } from 'leapfrog';
import { SIMULATION_ENDINGS } from '#engine/fits/predictions.js';
import { variableOf } from '#engine/formats/columns.js';
import { withMembers } from './members.js';

/** A generated quantity, and the data variable that it simulates. */
export interface Simulated {
  readonly quantity: string;
  readonly variable: string;
}

/** Generated quantities with the name of a data variable or of its simulation. */
export function simulatedIn(generated: readonly string[], variables: readonly string[]): readonly Simulated[] {
  return generated.flatMap((quantity) => {
    const names = [
      quantity,
      ...SIMULATION_ENDINGS.flatMap((ending) => (quantity.endsWith(ending) ? quantity.slice(0, -ending.length) : [])),
    ];
    const variable = names.find((name) => variables.includes(name));
    return variable === undefined ? [] : [{ quantity, variable }];
  });
}

/** The data as text, with variables replaced by their simulations from one draw, counted from 0. */
export function withSimulated(
  text: string,
  fit: Fit,
  chain: number,
  draw: number,
  simulated: readonly Simulated[],
): string {
  const changes = simulated.map(({ quantity, variable }): [string, string] => {
    const places = [...fit.columns.keys()].filter((place) => variableOf(fit.columns[place]) === quantity);
    const elements = places.map((place) => ({
      indices: fit.columns[place].split('.').slice(1).map(Number),
      value: fit.columnAt(place)[chain]?.[draw] ?? Number.NaN,
    }));
    return [variable, nested(elements, 0)];
  });
  return withMembers(text, new Map(changes));
}

interface Element {
  readonly indices: readonly number[];
  readonly value: number;
}

/** The JSON of elements with the same first indexes. */
function nested(elements: readonly Element[], depth: number): string {
  const [first] = elements;
  if (first === undefined) return '[]';
  if (first.indices.length === depth) return Number.isFinite(first.value) ? `${first.value}` : `"${first.value}"`;
  const groups: Element[][] = [];
  for (const element of elements) {
    const place = (element.indices[depth] ?? 1) - 1;
    groups[place] ??= [];
    groups[place].push(element);
  }
  return `[${groups.map((group) => nested(group, depth + 1)).join(', ')}]`;
}
