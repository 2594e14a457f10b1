/** The dimensions of a program's variables whose elements belong to the levels of an index. */
import type { Declaration, Expression, Program, SizedType } from '../syntax/ast.js';
import { parse } from '../syntax/parse.js';
import { blocksOf, visitProgram } from '../syntax/walk.js';
import type { ProgramText } from './program-text.js';

/** The labels of an index, a data variable with codes from 1, in the order of the codes. */
export interface IndexLevels {
  readonly variable: string;
  readonly labels: readonly string[];
}

/** Number of levels above which elements are named by their numbers. */
const MOST_LABELS = 10_000;

/** The indexes without those that have very many levels, such as identifiers, whose labels would be a large part of a project. */
export function withFewLabels(levels: readonly IndexLevels[]): readonly IndexLevels[] {
  return levels.filter(({ labels }) => labels.length <= MOST_LABELS);
}

/** A variable with the labels of the elements along each of its dimensions; undefined for dimensions without labels. */
export interface LabeledVariable {
  readonly name: string;
  readonly dimensions: readonly (readonly string[] | undefined)[];
}

/** The labels of a dimension; undefined if they differ between two indexes. */
type Labels = readonly string[] | undefined;

const OUTPUTS = ['parameters', 'transformed parameters', 'generated quantities'];

/** The output variables with labels in the source of a program; empty if it cannot be parsed. */
export function labeledVariablesIn(
  { includes, name, text }: ProgramText,
  levels: readonly IndexLevels[],
): readonly LabeledVariable[] {
  if (levels.length === 0) return [];
  const parsed = parse({ name, text }, new Map(Object.entries(includes)));
  return 'program' in parsed ? labeledVariables(parsed.program, levels) : [];
}

/**
 * The output variables with labels. A dimension has the labels of an index if the program indexes it by this index, as
 * in `theta[school[n]]`, or if its declared size is the upper bound of the index or the size of such a dimension.
 */
function labeledVariables(program: Program, levels: readonly IndexLevels[]): readonly LabeledVariable[] {
  const indexes = new Map(levels.map(({ variable, labels }) => [variable, labels]));
  const declared = declarationsOf(program);
  const used = usesOf(program, indexes);
  const sizes = new Map<string, Labels>();
  for (const { name, type } of declared) {
    const labels = indexes.get(name);
    const bound = upperOf(type);
    if (labels !== undefined && bound !== undefined) note(sizes, bound, labels);
    for (const [place, size] of sizesOf(type).entries()) {
      const indexed = used.get(name)?.get(place);
      if (indexed !== undefined && size !== undefined) note(sizes, size, indexed);
    }
  }
  return declared.flatMap(({ isOutput, name, type }) => {
    if (!isOutput) return [];
    const dimensions = sizesOf(type).map((size, place) => {
      const indexed = used.get(name);
      if (indexed?.has(place) === true) return indexed.get(place);
      return size === undefined ? undefined : sizes.get(size);
    });
    return dimensions.some((labels) => labels !== undefined) ? [{ name, dimensions }] : [];
  });
}

/** Two indexes with different labels leave a key without labels. */
function note<Key>(known: Map<Key, Labels>, key: Key, labels: readonly string[]): void {
  const before = known.get(key);
  const isSame = before === labels || before?.join('\n') === labels.join('\n');
  known.set(key, known.has(key) && !isSame ? undefined : labels);
}

interface Declared {
  readonly name: string;
  readonly type: SizedType;
  readonly isOutput: boolean;
}

/** The global variables. */
function declarationsOf(program: Program): readonly Declared[] {
  return blocksOf(program).flatMap(([block, { statements }]) =>
    statements
      .filter((statement): statement is Declaration => statement.kind === 'declaration' && statement.isGlobal)
      .flatMap(({ type, variables }) =>
        variables.map(({ name }) => ({ name: name.name, type, isOutput: OUTPUTS.includes(block) })),
      ),
  );
}

/** The labels of the indexes with which a program indexes each dimension of a variable. */
function usesOf(
  program: Program,
  indexes: ReadonlyMap<string, readonly string[]>,
): ReadonlyMap<string, ReadonlyMap<number, Labels>> {
  const used = new Map<string, Map<number, Labels>>();
  const { functions: _, ...blocks } = program;
  visitProgram(blocks, {
    statement: () => undefined,
    expression: (node) => {
      if (node.kind !== 'indexed' || node.container.kind !== 'variable') return;
      const { name } = node.container;
      for (const [place, index] of node.indices.entries()) {
        const labels = index.kind === 'single' ? indexes.get(variableOf(index.index) ?? '') : undefined;
        if (labels === undefined) continue;
        const places = used.get(name) ?? new Map<number, Labels>();
        used.set(name, places);
        note(places, place, labels);
      }
    },
  });
  return used;
}

/** The variable of `school` or `school[n]`. */
function variableOf(node: Expression): string | undefined {
  if (node.kind === 'indexed') return variableOf(node.container);
  if (node.kind === 'parenthesis') return variableOf(node.inner);
  return node.kind === 'variable' ? node.name : undefined;
}

/** The names of the variables that are the sizes of a type's dimensions; undefined for other sizes. */
function sizesOf(type: SizedType): readonly (string | undefined)[] {
  if (type.kind === 'array') return [...type.sizes.map(nameIn), ...sizesOf(type.element)];
  if ('size' in type) return [nameIn(type.size)];
  return 'rows' in type ? [nameIn(type.rows), nameIn(type.columns)] : [];
}

/** The name of the variable that is the upper bound of an integer or of the elements of an array. */
function upperOf(type: SizedType): string | undefined {
  if (type.kind === 'array') return upperOf(type.element);
  return 'constraint' in type && 'upper' in type.constraint ? nameIn(type.constraint.upper) : undefined;
}

function nameIn(node: Expression): string | undefined {
  return node.kind === 'variable' ? node.name : undefined;
}
