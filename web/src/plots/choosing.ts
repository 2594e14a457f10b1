import { append } from '#engine/base/multimap.js';
import { isOf, splitNames, variableOf } from '#engine/formats/columns.js';

/** Maximum number of quantities with separate plots. */
const MOST = 8;
/** Maximum number of quantities in one plot. */
const MOST_TOGETHER = 40;
/** Number of quantities with separate plots if none is requested. */
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
  /** Whether no quantity is requested. */
  readonly isDefault: boolean;
}

/**
 * The columns that names and patterns select: `mu, theta[2], beta[*]`. A variable's name selects all of its elements. An empty list selects
 * columns that are not generated quantities: a few of them, and together the first variables with all of their elements. Separate plots begin at the
 * quantity with index `from`, in the order that `ordered` returns.
 */
export function chosenQuantities(
  columns: readonly string[],
  text: string,
  generated: readonly string[] = [],
  from = 0,
  ordered: (names: readonly string[]) => readonly string[] = (names) => names,
): Chosen {
  const asked = askedNames(text);
  if (asked.length === 0) {
    const own = columns.filter((name) => name !== 'lp__' && !generated.includes(variableOf(name)));
    const offered = own.length > 0 ? own : columns;
    return {
      names: ordered(offered).slice(from, from + (from === 0 ? FIRST : MOST)),
      together: firstVariables(offered),
      unknown: [],
      asked: offered.length,
      isDefault: true,
    };
  }
  const found = asked.map((name) => columns.filter((column) => isOf(column, name)));
  const all = ordered([...new Set(found.flat())]);
  return {
    names: all.slice(from, from + MOST),
    together: all.slice(0, MOST_TOGETHER),
    asked: all.length,
    isDefault: false,
    unknown: asked.filter((_, index) => found[index]?.length === 0),
  };
}

/** The columns of whole variables, the first ones that fit in one plot; only the first variable with several elements is cut to fit. */
function firstVariables(columns: readonly string[]): readonly string[] {
  const variables = new Map<string, string[]>();
  for (const name of columns) append(variables, variableOf(name), name);
  const chosen: string[] = [];
  let hasVector = false;
  for (const elements of variables.values()) {
    const room = MOST_TOGETHER - chosen.length;
    if (elements.length > room && hasVector) break;
    chosen.push(...elements.slice(0, room));
    hasVector ||= elements.length > 1;
  }
  return chosen;
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
