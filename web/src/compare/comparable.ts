/** Whether runs have the same observations, so that their predictions can be compared. */
import type { DataValue, DataValues } from '#engine/analysis/data-faults.js';
import { parseStanData } from '#engine/model/json.js';
import { valuesOf } from '../data/data-values.js';
import { language } from '../language/analysis.js';
import { PROGRAM_FILE } from '../state/file-names.js';
import { nameOf, type Run } from '../state/run.js';
import { enumeration, t } from '../words/messages.js';

/**
 * Why runs with `count` observations each have different ones; undefined if no difference is found. The values of the outcomes must be the same. If the
 * outcomes of a program cannot be derived, the values of all data variables with an element for each observation must be.
 */
export async function incomparable(runs: readonly Run[], count: number): Promise<string | undefined> {
  const [first, ...others] = runs;
  for (const other of others) {
    const reason = first && (await differenceBetween(first, other, count));
    if (reason !== undefined) return reason;
  }
  return undefined;
}

async function differenceBetween(first: Run, other: Run, count: number): Promise<string | undefined> {
  const [known, observed] = [await outcomesOf(first), await outcomesOf(other)];
  const names = { first: nameOf(first), other: nameOf(other) };
  if (known !== undefined && observed !== undefined && known.join() !== observed.join()) {
    return t('compare.otherOutcomes', { ...names, known: enumeration(known), observed: enumeration(observed) });
  }
  if (first.source.data === other.source.data) return undefined;
  const [before, after] = [dataOf(first), dataOf(other)];
  const shared = Object.keys(before).filter((name) => Object.hasOwn(after, name));
  // An outcome may be transformed data, which depend on any of the data.
  const isGiven = known?.every((name) => shared.includes(name)) === true;
  const wanted = isGiven ? known : shared.filter((name) => sizeOf(before[name]) === count);
  const changed = wanted.find((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
  return changed === undefined ? undefined : t('compare.otherValues', { ...names, variable: changed });
}

/** Sorted names of the outcomes. */
async function outcomesOf({ source: { includes, program } }: Run): Promise<readonly string[] | undefined> {
  if (program.trim() === '') return undefined;
  const found = await language().outcomes({
    name: PROGRAM_FILE,
    text: program,
    includes: Object.fromEntries(includes.map(({ name, text }) => [name, text])),
  });
  return found?.toSorted();
}

/** The values of the data; data that cannot be read are one value. */
function dataOf({ source: { data } }: Run): DataValues {
  try {
    return valuesOf(parseStanData(data));
  } catch {
    return { data };
  }
}

/** Number of numbers in a value of the data. */
function sizeOf(value: DataValue | undefined): number {
  if (value instanceof Float64Array) return value.length;
  return Array.isArray(value) ? value.reduce((sum: number, each) => sum + sizeOf(each), 0) : 1;
}
