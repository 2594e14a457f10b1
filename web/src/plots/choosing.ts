import { displayName, splitNames, variableOf } from '#engine/run/columns.js';

/** Maximum number of quantities with plots of their own. */
const MOST = 8;
/** Maximum number of quantities in one plot. */
const MOST_TOGETHER = 40;
const FIRST = 3;

export interface Chosen {
  /** Selected columns, in the requested order. */
  readonly names: readonly string[];
  /** A longer selection, for plots that show several. */
  readonly together: readonly string[];
  /** Names that match no column. */
  readonly unknown: readonly string[];
  /** Number of selected columns, of which only the first ones are plotted. */
  readonly asked: number;
}

/**
 * The columns that names and patterns select: `mu, theta[2], beta[*]`. A variable's name selects all of its elements. An empty list selects the first
 * few columns that are not generated quantities.
 */
export function chosenQuantities(columns: readonly string[], text: string, generated: readonly string[] = []): Chosen {
  const asked = askedNames(text);
  if (asked.length === 0) {
    const own = columns.filter((name) => name !== 'lp__' && !generated.includes(variableOf(name)));
    const names = (own.length > 0 ? own : columns).slice(0, FIRST);
    return { names, together: names, unknown: [], asked: names.length };
  }
  const found = asked.map((name) => columns.filter((column) => isOf(column, name)));
  const all = [...new Set(found.flat())];
  return {
    names: all.slice(0, MOST),
    together: all.slice(0, MOST_TOGETHER),
    asked: all.length,
    unknown: asked.filter((_, index) => found[index]?.length === 0).map(displayName),
  };
}

/** The columns that names and patterns select; all columns for an empty list. Ignores unknown names. */
export function chosenColumns(columns: readonly string[], text: string): readonly string[] {
  const asked = askedNames(text);
  return asked.length === 0 ? columns : columns.filter((name) => asked.some((each) => isOf(name, each)));
}

/** The names in a list. A variable's name selects all of its elements. */
function askedNames(text: string): string[] {
  return splitNames(text.replace(/\[\s*\*(?:\s*,\s*\*)*\s*\]/g, ''));
}

function isOf(column: string, name: string): boolean {
  return column === name || variableOf(column) === name;
}
