/** The blocks of the program to which the columns of draws belong, and their form in the metadata of files. */
import { variableOf } from './columns.js';

/** An output that a program declares. */
export interface DeclaredOutput {
  readonly name: string;
  readonly block: 'parameters' | 'transformed parameters' | 'generated quantities';
}

/** A block of the program, or the sampler for its own columns, such as `lp__`. */
export type ColumnBlock = DeclaredOutput['block'] | 'sampler';

const BLOCKS: readonly DeclaredOutput['block'][] = ['parameters', 'transformed parameters', 'generated quantities'];

/** The block of each column, by the variables of the program; undefined if the block is unknown. */
export function blocksOf(
  columns: readonly string[],
  outputs: readonly DeclaredOutput[],
): readonly (ColumnBlock | undefined)[] {
  const blocks = new Map(outputs.map(({ block, name }) => [variableOf(name), block]));
  return columns.map((column) => blocks.get(variableOf(column)) ?? (column.endsWith('__') ? 'sampler' : undefined));
}

const KEY = 'blocks';

/** The line of a CSV file's head: `# blocks = parameters: mu, tau; generated quantities: y`; empty if there is nothing to name. */
export function blocksComment(outputs: readonly DeclaredOutput[] = []): string {
  const parts = BLOCKS.flatMap((block) => {
    const names = new Set(outputs.filter((each) => each.block === block).map(({ name }) => variableOf(name)));
    return names.size === 0 ? [] : [`${block}: ${[...names].join(', ')}`];
  });
  return parts.length === 0 ? '' : `# ${KEY} = ${parts.join('; ')}\n`;
}

/** Reads the variables of a program from the settings of a CSV file's head; empty if the file does not contain them. */
export function blocksInSettings(settings: ReadonlyMap<string, string>): readonly DeclaredOutput[] {
  return (settings.get(KEY) ?? '').split(';').flatMap((part) => {
    const [name, variables = ''] = part.split(':');
    const block = BLOCKS.find((each) => each === name.trim());
    if (block === undefined) return [];
    return variables.split(',').map((each) => ({ name: each.trim(), block }));
  });
}

/** The variables of a program in JSON metadata; empty if they are absent. */
export function readOutputs(value: unknown): readonly DeclaredOutput[] {
  return Array.isArray(value) ? value.filter(isOutput).map(({ block, name }) => ({ name, block })) : [];
}

function isOutput(value: unknown): value is DeclaredOutput {
  if (typeof value !== 'object' || value === null || !('name' in value) || !('block' in value)) return false;
  return typeof value.name === 'string' && BLOCKS.some((block) => block === value.block);
}
