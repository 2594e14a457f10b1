/**
 * Reads chains from ArviZ's netCDF files, which are HDF5 files: https://python.arviz.org/en/stable/schema/schema.html. The dimensions of a
 * variable are chain, draw and those of the variable itself, in row-major order.
 */
import { LOG_LIKELIHOOD } from '../derive/derived-names.js';
import type { DrawsFile } from './draws-file.js';
import { SIMULATION_ENDINGS } from './predictions.js';

/** The start of an HDF5 file. */
export const HDF5_SIGNATURE: readonly number[] = [0x89, 0x48, 0x44, 0x46, 0x0d, 0x0a, 0x1a, 0x0a];

/** A group of an HDF5 file, in the form of the package jsfive. */
export interface Hdf5Group {
  readonly keys: readonly string[];
  get(name: string): Hdf5Group | Hdf5Dataset;
}

interface Hdf5Dataset {
  readonly shape: readonly number[];
  /** NumPy's code, such as `<f8`, for numbers. */
  readonly dtype: unknown;
  /** Elements in row-major order. */
  readonly value: ArrayLike<number>;
}

/** A variable of a group, with the name of its columns. */
interface Variable {
  readonly group: string;
  readonly key: string;
  readonly name: string;
}

/** Stan's columns of samplers, in Stan's order, for the variables of the group `sample_stats`. */
const STATISTICS: ReadonlyMap<string, string> = new Map([
  ['lp', 'lp__'],
  ['acceptance_rate', 'accept_stat__'],
  ['step_size', 'stepsize__'],
  ['tree_depth', 'treedepth__'],
  ['n_steps', 'n_leapfrog__'],
  ['diverging', 'divergent__'],
  ['energy', 'energy__'],
]);

/** The groups whose variables are generated quantities. Those of the group `posterior` may belong to any block. */
const GENERATED: readonly string[] = ['posterior_predictive', 'log_likelihood'];

/**
 * Reads the groups posterior, sample_stats, posterior_predictive and log_likelihood, and the corresponding groups of warmup. Throws an
 * `Error` if the file does not have ArviZ's structure.
 */
export function arvizDraws(file: Hdf5Group): DrawsFile {
  if (!file.keys.includes('posterior')) throw new Error('it has no group "posterior"');
  const { variables, warnings } = variablesIn(file, '');
  const draws = readSection(file, '', variables);
  const saved = new Set(variablesIn(file, 'warmup_').variables.map(({ name }) => name));
  const missing = variables.filter(({ name }) => !saved.has(name)).map(({ name }) => name);
  if (saved.size > 0 && missing.length > 0)
    warnings.push(`warmup draws were not read, because the file has none of ${missing.join(', ')}`);
  const warmup = missing.length === 0 ? readSection(file, 'warmup_', variables) : undefined;
  const width = draws.columns.length;
  const chains = draws.chains.map((own, index) => {
    const before = warmup?.chains[index] ?? new Float64Array();
    const values = new Float64Array(before.length + own.length);
    values.set(before);
    values.set(own, before.length);
    return { id: index + 1, values, warmup: width === 0 ? 0 : before.length / width, leadingRows: undefined };
  });
  const request = { function: undefined, arguments: {} };
  const outputs = variables.flatMap(({ group, name }) =>
    GENERATED.includes(group) ? [{ name, block: 'generated quantities' as const }] : [],
  );
  return { columns: draws.columns, outputs, chains, request, origin: {}, warnings };
}

/**
 * Variables of all groups whose names begin with the prefix, with the columns of the sampler first. If several have the same name, the
 * first is used.
 */
function variablesIn(file: Hdf5Group, prefix: string) {
  const found = new Map<string, Variable>();
  const warnings: string[] = [];
  const size = sizeOf(file, prefix);
  const add = (group: string, key: string, name: string): void => {
    const dataset = datasetIn(file, prefix + group, key);
    if (dataset === undefined || found.has(name)) return;
    const { dtype, shape } = dataset;
    if (shape.length < 2) return;
    if (size === undefined || shape[0] !== size.chains || shape[1] !== size.draws)
      warnings.push(`${prefix + group}/${key} was not read, because its first dimensions are not those of the draws`);
    else if (typeof dtype !== 'string' || !/^[<>|][fiu]\d$/.test(dtype))
      warnings.push(`${prefix + group}/${key} was not read, because its values are not numbers`);
    else found.set(name, { group, key, name });
  };
  for (const [key, name] of STATISTICS) {
    if (datasetIn(file, `${prefix}sample_stats`, key)?.shape.length === 2) add('sample_stats', key, name);
  }
  for (const key of membersOf(file, `${prefix}posterior`)) add('posterior', key, key);
  for (const key of membersOf(file, `${prefix}posterior_predictive`))
    add('posterior_predictive', key, simulationName(key));
  const likelihood = `${prefix}log_likelihood`;
  const terms = membersOf(file, likelihood).filter((key) => (datasetIn(file, likelihood, key)?.shape.length ?? 0) >= 2);
  for (const key of terms) add('log_likelihood', key, terms.length === 1 ? LOG_LIKELIHOOD : `${LOG_LIKELIHOOD}_${key}`);
  return { variables: [...found.values()], warnings };
}

/** The number of chains and of draws in each; undefined if the group does not exist. */
function sizeOf(file: Hdf5Group, prefix: string): { readonly chains: number; readonly draws: number } | undefined {
  const group = `${prefix}posterior`;
  if (membersOf(file, group).length === 0) return undefined;
  const chains = datasetIn(file, group, 'chain')?.shape[0];
  const draws = datasetIn(file, group, 'draw')?.shape[0];
  if (chains === undefined || draws === undefined)
    throw new Error(`the group "${group}" has no dimensions "chain" and "draw"`);
  return { chains, draws };
}

/** The name of the simulations of a variable: `y_rep` for `y`. In ArviZ, simulations have the name of their data. */
function simulationName(key: string): string {
  return SIMULATION_ENDINGS.some((ending) => key.endsWith(ending)) ? key : `${key}_rep`;
}

function membersOf(file: Hdf5Group, group: string): readonly string[] {
  const found = file.keys.includes(group) ? file.get(group) : undefined;
  return found !== undefined && 'keys' in found ? found.keys : [];
}

function datasetIn(file: Hdf5Group, group: string, key: string): Hdf5Dataset | undefined {
  if (!membersOf(file, group).includes(key)) return undefined;
  const found = file.get(`${group}/${key}`);
  return 'shape' in found ? found : undefined;
}

/** The columns of the variables, and their numbers as rows of each chain. */
function readSection(file: Hdf5Group, prefix: string, variables: readonly Variable[]) {
  const { chains, draws } = sizeOf(file, prefix) ?? { chains: 0, draws: 0 };
  const read = variables.flatMap(({ group, key, name }) => {
    const dataset = datasetIn(file, prefix + group, key);
    return dataset === undefined ? [] : [{ elements: elementsOf(name, dataset.shape.slice(2)), value: dataset.value }];
  });
  const columns = read.flatMap(({ elements }) => elements.map(({ name }) => name));
  const rows = Array.from({ length: chains }, () => new Float64Array(draws * columns.length));
  let column = 0;
  for (const { elements, value } of read) {
    for (const { offset } of elements) {
      for (const [chain, values] of rows.entries()) {
        for (let draw = 0; draw < draws; draw++) {
          values[draw * columns.length + column] = value[(chain * draws + draw) * elements.length + offset];
        }
      }
      column++;
    }
  }
  return { columns, chains: rows };
}

/** The columns of a variable in Stan's order, where the first index varies fastest, with the row-major positions of their elements. */
function elementsOf(
  name: string,
  sizes: readonly number[],
): readonly { readonly name: string; readonly offset: number }[] {
  const count = sizes.reduce((product, size) => product * size, 1);
  const strides = sizes.map((_, dimension) => sizes.slice(dimension + 1).reduce((product, size) => product * size, 1));
  return Array.from({ length: count }, (_, place) => {
    let rest = place;
    let offset = 0;
    const indices = sizes.map((size, dimension) => {
      const index = rest % size;
      rest = Math.floor(rest / size);
      offset += index * strides[dimension];
      return index + 1;
    });
    return { name: [name, ...indices].join('.'), offset };
  });
}
