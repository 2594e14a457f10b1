/** Names of columns: a program's variables with the indices of their elements, and the columns that algorithms add. */

/** The variable of a constrained name: `theta` of `theta.1.2` or `theta[1,2]`, `t` of `t.3:2.1`. */
export function variableOf(name: string): string {
  return name.split(/[.:[]/, 1)[0] ?? name;
}

/** The parameter of an unconstrained name: `theta` of `theta.1`, and of `theta__.1`, which is one of its other coordinates. */
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

/** Indexes of a column, or of all columns of a variable or of a part of a tuple. */
export function placesOf(name: string, columns: readonly string[]): number[] {
  return [...columns.keys()].filter((place) => isOf(columns[place], name));
}

/**
 * Whether a column is this one, or belongs to this variable or to this part of a tuple. The name may have the form of columns (`t.1:2.3`), that
 * of tables (`t[1].2[3]`), or dots only (`t.1.2.3`).
 */
export function isOf(column: string, name: string): boolean {
  if (column === name || variableOf(column) === name) return true;
  const own = withDots(column);
  const wanted = withDots(name);
  return own === wanted || (column.includes(':') && own.startsWith(`${wanted}.`));
}

/** The name with dots only, `theta.1.2` for `theta[1,2]`: that of a column, unless the variable is a tuple. */
export function withDots(name: string): string {
  return name.replace(/[[:,]/g, '.').replaceAll(']', '');
}

/** The name of a column in tables: `theta[1,2]` for `theta.1.2`, `t.3[2,1]` for `t:3.2.1`. Not for names that have this form already. */
export function displayName(column: string): string {
  return column
    .split(':')
    .map((slot) => slot.replace(/(?<=.)(?:\.\d+)+$/, (indices) => `[${indices.slice(1).replaceAll('.', ',')}]`))
    .join('.');
}
