import { displayName, splitNames, variableOf } from '#engine/run/columns.js';

/** Maximum number of quantities that are plotted one by one. */
const MOST = 8;
/** Maximum number of quantities in one plot. */
const MOST_TOGETHER = 40;
const FIRST = 3;

export interface Chosen {
  /** Columns, in the order asked for. */
  readonly names: readonly string[];
  /** More of them, for plots that show several. */
  readonly together: readonly string[];
  /** What names nothing. */
  readonly unknown: readonly string[];
  /** How many columns were asked for; the first few of them are plotted. */
  readonly asked: number;
}

/** Columns that names and patterns stand for: `mu, theta[2], beta[*]`, a variable's own name being all of it; the first few that are not generated of an empty list. */
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

/** Columns that names and patterns stand for; all where nothing is asked for, and nothing that is unknown. */
export function chosenColumns(columns: readonly string[], text: string): readonly string[] {
  const asked = askedNames(text);
  return asked.length === 0 ? columns : columns.filter((name) => asked.some((each) => isOf(name, each)));
}

/** The names in a text; a variable's own name is all of it. */
function askedNames(text: string): string[] {
  return splitNames(text.replace(/\[\s*\*(?:\s*,\s*\*)*\s*\]/g, ''));
}

function isOf(column: string, name: string): boolean {
  return column === name || variableOf(column) === name;
}
