/** Data variables that identify left-out observations. */
import { isJsonObject, nonFiniteNumber, parseStanJson, type StanJson } from '../formats/stan-json.js';

/** A variable of the data that belongs to observations. */
export interface ObservedVariable {
  readonly name: string;
  /** Whether it is an outcome of the program. Other variables have one number per observation. */
  readonly isOutcome: boolean;
  /** Its numbers in the order of the data; absent if the data do not contain it. */
  readonly values?: readonly number[];
}

/**
 * Outcomes with their values in the data. If outcomes are unknown, or some are not data, variables with one number per observation follow,
 * because an outcome may be transformed data, which may depend on any data.
 */
export function observedVariables(
  outcomes: readonly string[] | undefined,
  data: string,
  count: number,
): readonly ObservedVariable[] {
  const values = valuesIn(data);
  const known = (outcomes ?? []).map((name): ObservedVariable => {
    const own = values.get(name);
    return { name, isOutcome: true, ...(own && { values: own }) };
  });
  if (outcomes !== undefined && known.every((each) => each.values !== undefined)) return known;
  const others = [...values].filter(([name, own]) => own.length === count && outcomes?.includes(name) !== true);
  return [...known, ...others.map(([name, own]) => ({ name, isOutcome: false, values: own }))];
}

/** The numbers of each variable; empty if the data cannot be read. */
function valuesIn(data: string): ReadonlyMap<string, readonly number[]> {
  try {
    const read = parseStanJson(data, { plainNumbers: true });
    if (!isJsonObject(read)) return new Map();
    return new Map(Object.entries(read).map(([name, value]) => [name, [...numbersIn(value)]]));
  } catch {
    return new Map();
  }
}

function* numbersIn(value: StanJson): Generator<number> {
  if (typeof value === 'number') yield value;
  else if (typeof value === 'string') yield nonFiniteNumber(value) ?? Number.NaN;
  else if (typeof value === 'object' && value !== null) for (const each of Object.values(value)) yield* numbersIn(each);
}
