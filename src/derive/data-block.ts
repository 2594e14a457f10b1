/** Writes a data block for given data: the inverse of `exampleData`. */
import { isReservedName } from '../language/reserved.js';
import { keywords } from '../syntax/token.js';

/** A member of some data. */
export interface DataMember {
  readonly name: string;
  /** `other`: no numeric variable can contain it. */
  readonly type: 'int' | 'real' | 'other';
  /** One size per dimension; empty for a scalar. */
  readonly sizes: readonly number[];
  /** For ints: the minimum and the maximum. */
  readonly range?: readonly [least: number, greatest: number];
  /** A comment after the declaration. */
  readonly note?: string;
}

/** A data block that declares a variable for each member. Members that no variable can hold become comments. */
export function dataBlockFor(members: readonly DataMember[]): string {
  const counts = new Map(members.filter(isCount).map(({ name, range: [value] = [0] }) => [name, value]));
  // Sizes must be declared before they are used.
  const ordered = [
    ...members.filter(({ name }) => counts.has(name)),
    ...members.filter(({ name }) => !counts.has(name)),
  ];
  const used = new Set<string>();
  const declared = ordered.map((member) => {
    const dimensions = member.sizes.map((size) => sizeText(size, counts, used));
    const levels = levelsOf(member, counts);
    if (levels !== undefined) used.add(levels);
    return { member, dimensions, levels };
  });
  const lines = declared.map(({ member, dimensions, levels }) => {
    const { name, type } = member;
    if (!isVariableName(name)) return `// ${JSON.stringify(name)} cannot be the name of a variable.`;
    if (type === 'other') return `// ${name}: its rows differ in length, or it contains values other than numbers.`;
    const bounds = used.has(name) ? '<lower=0>' : levels === undefined ? '' : `<lower=1, upper=${levels}>`;
    return `${declaration(member, dimensions, bounds)}${comment(member.note)}`;
  });
  return `data {\n${lines.map((line) => `  ${line}\n`).join('')}}\n`;
}

/** Whether the name is a valid name of a variable in Stan. */
export function isVariableName(name: string): boolean {
  return /^[A-Za-z]\w*$/.test(name) && !isReservedName(name) && !keywords.some((keyword) => keyword === name);
}

function comment(note: string | undefined): string {
  return note === undefined ? '' : `  // ${note.replace(/\s+/g, ' ')}`;
}

/** Whether it is an int scalar that may be a size. */
function isCount({ name, range, sizes, type }: DataMember): boolean {
  return type === 'int' && sizes.length === 0 && range !== undefined && isVariableName(name);
}

/** An int in the data that has this value; if none does, the value itself. */
function sizeText(size: number, counts: ReadonlyMap<string, number>, used: Set<string>): string {
  const [found] = [...counts].find(([, value]) => value === size) ?? [];
  if (found !== undefined) used.add(found);
  return found ?? `${size}`;
}

function declaration({ name, sizes, type }: DataMember, dimensions: readonly string[], bounds: string): string {
  if (sizes.length === 0) return `${type}${bounds} ${name};`;
  if (type === 'real' && sizes.length === 1) return `vector[${dimensions.join()}] ${name};`;
  if (type === 'real' && sizes.length === 2) return `matrix[${dimensions.join(', ')}] ${name};`;
  return `array[${dimensions.join(', ')}] ${type}${bounds} ${name};`;
}

/** The int that is the number of groups to which an array of ints refers: `N_group` for `group`. */
function levelsOf({ name, range, sizes, type }: DataMember, counts: ReadonlyMap<string, number>): string | undefined {
  if (type !== 'int' || sizes.length === 0 || range === undefined) return undefined;
  const [found, most = 0] = [...counts].find(([count]) => count.toLowerCase() === `n_${name.toLowerCase()}`) ?? [];
  return range[0] >= 1 && range[1] <= most ? found : undefined;
}
