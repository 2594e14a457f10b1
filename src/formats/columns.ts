/** Names of columns: a program's variables with the indices of their elements, and the columns that algorithms add. */

/** The variable of a constrained name: `theta` of `theta.1.2` or `theta[1,2]`, `t` of `t.3:2.1`. */
export function variableOf(name: string): string {
  return name.split(/[.:[]/, 1)[0] ?? name;
}

/** The parameter of an unconstrained name: `theta` of `theta.1`, and of `theta__.1`, which names a learned coordinate. */
export function parameterOf(name: string): string {
  return variableOf(name).replace(/__$/, '');
}

/** The names in a list of variables, of elements or of parts of tuples, without spaces. */
export function splitNames(text: string): string[] {
  return text
    .split(/,(?![^[]*\])/)
    .map((name) => name.replace(/\s/g, ''))
    .filter((name) => name !== '');
}

/** The indexes of a column, or of all columns of a variable or of a slot of a tuple. */
export function placesOf(name: string, columns: readonly string[]): number[] {
  return [...columns.keys()].filter((place) => isOf(columns[place], name));
}

/**
 * Whether a column has this name, or belongs to the variable or the slot of a tuple with this name. The name may have the form of columns
 * (`t.1:2.3`), the form of tables (`t[1].2[3]`), or only dots (`t.1.2.3`).
 */
export function isOf(column: string, name: string): boolean {
  if (column === name || variableOf(column) === name) return true;
  const own = withDots(column);
  const wanted = withDots(name);
  return own === wanted || (column.includes(':') && own.startsWith(`${wanted}.`));
}

/** Indexes of the log density and of the model's variables. The sampler's diagnostics are not quantities of the posterior. */
export function quantitiesIn(columns: readonly string[]): number[] {
  return [...columns.keys()].filter((place) => columns[place] === 'lp__' || !columns[place].endsWith('__'));
}

/** The name with only dots, `theta.1.2` for `theta[1,2]`. This is the name of a column, unless the variable is a tuple. */
export function withDots(name: string): string {
  return name.replace(/[[:,]/g, '.').replaceAll(']', '');
}

/** The name of a column in tables: `theta[1,2]` for `theta.1.2`, `t.3[2,1]` for `t:3.2.1`. The name must not already have this form. */
export function displayName(column: string): string {
  return column
    .split(':')
    .map((slot) => slot.replace(/(?<=.)(?:\.\d+)+$/, (indices) => `[${indices.slice(1).replaceAll('.', ',')}]`))
    .join('.');
}
