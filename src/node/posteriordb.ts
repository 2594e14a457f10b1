/** Reads a checkout of posteriordb (https://github.com/stan-dev/posteriordb): programs, data and reference draws. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { strFromU8, unzipSync } from 'fflate';
import type { NamedDraws } from '../fits/statistics.js';
import { inputLimit, readInput, readText, UnreadableFile } from './input-files.js';

/** A posterior of the database. */
export interface DatabasePosterior {
  readonly name: string;
  /** Name of the program. */
  readonly model: string;
  /** Name of the data. */
  readonly data: string;
  /** Name of the reference draws; undefined if it has none. */
  readonly reference: string | undefined;
  /** Number of scalar quantities. */
  readonly dimension: number;
}

/** A checkout of posteriordb. Methods throw `UnreadableFile` for missing and invalid files. */
export class PosteriorDatabase {
  private readonly folder: string;

  /** `checkout`: the folder of the checkout, or the folder `posterior_database` in it. */
  constructor(checkout: string) {
    const inside = join(checkout, 'posterior_database');
    this.folder = existsSync(inside) ? inside : checkout;
    if (!existsSync(join(this.folder, 'posteriors'))) {
      throw new UnreadableFile(`${checkout} is not a checkout of posteriordb: it has no posterior_database/posteriors`);
    }
  }

  /** The names of all posteriors, in alphabetical order. */
  names(): readonly string[] {
    const files = readdirSync(join(this.folder, 'posteriors')).filter((file) => file.endsWith('.json'));
    return files.map((file) => file.slice(0, -'.json'.length)).sort();
  }

  /** Other names of posteriors. */
  aliases(): ReadonlyMap<string, string> {
    const path = join(this.folder, 'alias', 'posteriors.json');
    if (!existsSync(path)) return new Map();
    const pairs = Object.entries(recordIn(path));
    return new Map(pairs.flatMap(([alias, name]) => (typeof name === 'string' ? [[alias, name]] : [])));
  }

  /** The posterior with this name, which `names` lists. */
  posterior(name: string): DatabasePosterior {
    const path = join(this.folder, 'posteriors', `${name}.json`);
    const { data_name: data, dimensions, model_name: model, reference_posterior_name: reference } = recordIn(path);
    if (typeof model !== 'string' || typeof data !== 'string') {
      throw new UnreadableFile(`${path} must name a model and data (model_name, data_name)`);
    }
    const sizes = isRecord(dimensions) ? Object.values(dimensions) : [];
    const dimension = sizes.reduce((sum: number, size) => sum + elementsOf(size), 0);
    return { name, model, data, reference: typeof reference === 'string' ? reference : undefined, dimension };
  }

  /** The path of the Stan program. */
  program({ model }: DatabasePosterior): string {
    const path = join(this.folder, 'models', 'stan', `${model}.stan`);
    if (!existsSync(path))
      throw new UnreadableFile(`${path} does not exist: the checkout has no Stan program ${model}`);
    return path;
  }

  /** The data as JSON text. */
  data({ data }: DatabasePosterior): string {
    return storedText(join(this.folder, 'data', 'data', `${data}.json`));
  }

  /** The reference draws of each quantity; undefined if it has none. */
  referenceDraws({ reference }: DatabasePosterior): readonly NamedDraws[] | undefined {
    if (reference === undefined) return undefined;
    const path = join(this.folder, 'reference_posteriors', 'draws', 'draws', `${reference}.json`);
    return drawsIn(parsed(storedText(path), path), path);
  }
}

/** The number of elements of a quantity with this size, a number or an array of numbers. */
function elementsOf(size: unknown): number {
  return [size].flat().reduce((product: number, each) => product * Number(each), 1);
}

/** The text of a JSON file, or of the only file in the zip file of the same name. */
function storedText(path: string): string {
  if (existsSync(path)) return readText(path);
  const zip = `${path}.zip`;
  if (!existsSync(zip)) throw new UnreadableFile(`${path} does not exist, and neither does ${zip}`);
  const bytes = readInput(zip);
  const limit = inputLimit();
  try {
    const files = unzipSync(bytes, {
      filter: ({ originalSize }) => {
        if (originalSize > limit * 2 ** 20) throw new UnreadableFile(`${zip} contains more than ${limit} MiB`);
        return true;
      },
    });
    const [content] = Object.values(files);
    if (content !== undefined) return strFromU8(content);
  } catch (error) {
    if (error instanceof UnreadableFile) throw error;
    throw new UnreadableFile(`${zip} is not a zip file; a checkout with Git LFS may have to be completed`, {
      cause: error,
    });
  }
  throw new UnreadableFile(`${zip} is empty`);
}

function parsed(text: string, path: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UnreadableFile(`${path} is not JSON: ${error instanceof Error ? error.message : error}`);
  }
}

function recordIn(path: string): Readonly<Record<string, unknown>> {
  const value = parsed(readText(path), path);
  if (!isRecord(value)) throw new UnreadableFile(`${path} must contain a JSON object`);
  return value;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Chains as objects with one array per quantity. */
function drawsIn(chains: unknown, path: string): readonly NamedDraws[] {
  const isValid = Array.isArray(chains) && chains.length > 0 && chains.every(isRecord);
  if (!isValid) throw new UnreadableFile(`${path} must contain an array with one object per chain`);
  const [first] = chains;
  return Object.keys(first).map((name) => ({
    name,
    chains: chains.map((chain) => {
      const draws = chain[name];
      const expected = first[name];
      const isWhole = Array.isArray(draws) && Array.isArray(expected) && draws.length === expected.length;
      if (isWhole && draws.every((value) => typeof value === 'number')) return Float64Array.from(draws);
      throw new UnreadableFile(`${path} must have numbers for ${name}, equally many in each chain`);
    }),
  }));
}
