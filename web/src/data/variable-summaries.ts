/** Summaries of data variables, for data that are too large to be shown as text. */
import { nonFiniteNumber, parseStanJson, type StanJson } from '#engine/formats/stan-json.js';

export interface VariableSummary {
  readonly name: string;
  /** Sizes of the outer dimensions; empty for a single value. Rows of different lengths have no further size. */
  readonly sizes: readonly number[];
  readonly areIntegers: boolean;
  readonly least: number;
  readonly mean: number;
  readonly greatest: number;
  /** The first values. */
  readonly first: readonly number[];
}

const MOST_FIRST = 5;

/** The variables of data; empty if the text is not an object. */
export function summarizeData(text: string): readonly VariableSummary[] {
  const value = parseStanJson(text, { plainNumbers: true });
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [];
  return Object.entries(value).map(([name, each]) => summaryOf(name, each));
}

function summaryOf(name: string, value: StanJson): VariableSummary {
  let [count, sum, least, greatest, areIntegers] = [0, 0, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, true];
  const first: number[] = [];
  const add = (each: StanJson): void => {
    if (Array.isArray(each)) {
      for (const element of each) add(element);
      return;
    }
    const number = typeof each === 'number' ? each : typeof each === 'string' ? nonFiniteNumber(each) : undefined;
    if (number === undefined) return;
    count += 1;
    sum += number;
    least = Math.min(least, number);
    greatest = Math.max(greatest, number);
    areIntegers &&= Number.isInteger(number);
    if (first.length < MOST_FIRST) first.push(number);
  };
  add(value);
  return { name, sizes: sizesOf(value), areIntegers, least, mean: sum / count, greatest, first };
}

function sizesOf(value: StanJson): readonly number[] {
  if (!Array.isArray(value)) return [];
  return [value.length, ...(value.length > 0 ? sizesOf(value[0]) : [])];
}
