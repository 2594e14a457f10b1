import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { readJson } from '../conformance/engine.js';
import { type ReferenceNumber, toNumber } from '../conformance/outcome.js';

/** A model of a reference folder. */
export interface CorpusModel {
  readonly name: string;
  readonly program: string;
  readonly text: string;
  readonly data: string;
  readonly dataText: string;
  /** Points at which the density is finite. */
  readonly points: readonly (readonly number[])[];
  readonly recorded: { readonly nanosecondsPerGradient?: number; readonly compileSeconds?: number };
}

interface Expected {
  readonly points?: readonly { readonly unconstrained: readonly ReferenceNumber[]; readonly error?: string }[];
  readonly timing?: { readonly ns_per_gradient?: number; readonly compile_s?: number };
}

export function corpus(folder: string, only: RegExp): CorpusModel[] {
  return readdirSync(folder)
    .sort()
    .filter((name) => only.test(name) && existsSync(join(folder, name, 'model.stan')))
    .map((name) => corpusModel(join(folder, name)));
}

/** The model of one folder. */
export function corpusModel(folder: string): CorpusModel {
  const at = (file: string): string => join(folder, file);
  const expected: Expected = existsSync(at('expected.json')) ? readJson(at('expected.json')) : {};
  return {
    name: basename(folder),
    program: at('model.stan'),
    text: readFileSync(at('model.stan'), 'utf8'),
    data: at('data.json'),
    dataText: readFileSync(at('data.json'), 'utf8'),
    points: (expected.points ?? [])
      .filter(({ error }) => error === undefined)
      .map(({ unconstrained }) => unconstrained.map(toNumber)),
    recorded: {
      nanosecondsPerGradient: expected.timing?.ns_per_gradient,
      compileSeconds: expected.timing?.compile_s,
    },
  };
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** The median of at least one number. */
export function geometricMean(values: readonly number[]): number {
  if (values.length === 0) throw new RangeError('There is no geometric mean of no numbers');
  return Math.exp(values.reduce((sum, value) => sum + Math.log(value), 0) / values.length);
}
