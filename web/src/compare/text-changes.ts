/** Differences between the program, data and settings of two runs. */
import { structuredPatch } from 'diff';
import type { ArgumentValue } from '#engine/inference/algorithms/arguments.js';
import { shortName } from '../run/function-names.js';
import { givenArguments } from '../run/functions.js';
import { untilOf } from '../run/until-settings.js';
import { DATA_FILE, PROGRAM_FILE } from '../state/file-names.js';
import type { Run } from '../state/run.js';

export interface ChangedLine {
  readonly kind: 'same' | 'removed' | 'added';
  readonly text: string;
  /** From 1, in the text that contains the line; in the second text for lines in both. */
  readonly number: number;
}

/** Changed lines with a few lines of context. */
type Hunk = readonly ChangedLine[];

export interface ChangedText {
  readonly file: string;
  readonly hunks: readonly Hunk[];
}

interface ChangedArgument {
  readonly name: string;
  readonly before: string;
  readonly after: string;
}

export interface Changes {
  readonly texts: readonly ChangedText[];
  readonly settings: readonly ChangedArgument[];
}

type Source = Run['source'];

export function changesBetween(before: Source, after: Source): Changes {
  const [old, now] = [filesOf(before), filesOf(after)];
  const names = [...new Set([...old.keys(), ...now.keys()])];
  const texts = names.flatMap((file): ChangedText[] => {
    const hunks = hunksBetween(old.get(file) ?? '', now.get(file) ?? '');
    return hunks.length === 0 ? [] : [{ file, hunks }];
  });
  return { texts, settings: changedSettings(before.settings, after.settings) };
}

/** Names of the files and settings that differ between two runs. */
export function changedInputs(before: Source, after: Source): readonly string[] {
  const [old, now] = [filesOf(before), filesOf(after)];
  const files = [...new Set([...old.keys(), ...now.keys()])].filter((file) => old.get(file) !== now.get(file));
  return [...files, ...changedSettings(before.settings, after.settings).map(({ name }) => name)];
}

/** The latest earlier run that had the same inputs, and therefore the same draws. */
export function repeatedRun(run: Run, runs: readonly Run[]): Run | undefined {
  const isComparable = ({ importedFrom, status }: Run) => status === 'done' && importedFrom === undefined;
  if (!isComparable(run)) return undefined;
  return runs.find(
    (each) => each.number < run.number && isComparable(each) && changedInputs(each.source, run.source).length === 0,
  );
}

function filesOf({ program, includes, data }: Source): ReadonlyMap<string, string> {
  return new Map([
    [PROGRAM_FILE, program],
    ...includes.map(({ name, text }): [string, string] => [name, text]),
    [DATA_FILE, data],
  ]);
}

/** Number of lines of context around changed lines. */
const CONTEXT = 3;

function hunksBetween(before: string, after: string): Hunk[] {
  if (before === after) return [];
  const { hunks } = structuredPatch('', '', before, after, '', '', { context: CONTEXT });
  return hunks.map(({ lines, newStart, oldStart }) => {
    let [oldLine, newLine] = [oldStart, newStart];
    return lines.flatMap((line): ChangedLine[] => {
      const text = line.slice(1);
      if (line.startsWith('-')) return [{ kind: 'removed', text, number: oldLine++ }];
      if (line.startsWith('+')) return [{ kind: 'added', text, number: newLine++ }];
      if (!line.startsWith(' ')) return [];
      oldLine++;
      return [{ kind: 'same', text, number: newLine++ }];
    });
  });
}

function changedSettings(before: Source['settings'], after: Source['settings']): ChangedArgument[] {
  const [old, now] = [valuesOf(before), valuesOf(after)];
  const names = [...new Set([...Object.keys(old), ...Object.keys(now)])];
  const changed = names
    .map((name) => ({ name, before: wordsFor(old[name]), after: wordsFor(now[name]) }))
    .filter((each) => each.before !== each.after);
  return before.functionName === after.functionName
    ? changed
    : [{ name: 'function', before: shortName(before.functionName), after: shortName(after.functionName) }, ...changed];
}

/** Arguments, initial values given as text, and the stopping rule. */
function valuesOf(settings: Source['settings']): Readonly<Record<string, ArgumentValue>> {
  const { initialValues } = settings;
  const { until } = untilOf(settings);
  return {
    ...givenArguments(settings),
    ...(initialValues !== undefined && { init: initialValues }),
    ...(until !== undefined && { until: JSON.stringify(until) }),
  };
}

function wordsFor(value: ArgumentValue | undefined): string {
  if (value === undefined) return '–';
  return typeof value === 'object' ? JSON.stringify(value) : `${value}`;
}
