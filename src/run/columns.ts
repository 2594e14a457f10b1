/** Names of columns: a program's variables with the indices of their elements, and the columns that algorithms add. */

/** The variable of a constrained name: `theta` of `theta.1.2`, `t` of `t.3:2.1`. */
export function variableOf(name: string): string {
  return name.split(/[.:]/, 1)[0] ?? name;
}

/** The parameter of an unconstrained name: `theta` of `theta.1`, and of `theta__.1`, which is one of its other coordinates. */
export function parameterOf(name: string): string {
  return variableOf(name).replace(/__$/, '');
}

/** Names of variables or of columns, those with indices in Stan's form (`theta[1,2]`) or with dots. */
export function splitNames(text: string): string[] {
  return text
    .split(/,(?![^[]*\])/)
    .map((name) =>
      name.trim().replace(/\[([\d,\s]+)\]/g, (_, indices: string) => `.${indices.replace(/[,\s]+/g, '.')}`),
    )
    .filter((name) => name !== '');
}

/** Indexes of a column, or of all columns of a variable. */
export function placesOf(name: string, columns: readonly string[]): number[] {
  return [...columns.keys()].filter((place) => columns[place] === name || variableOf(columns[place]) === name);
}

/** The name of a column in tables: `theta[1,2]` for `theta.1.2`, `t.3[2,1]` for `t:3.2.1`. */
export function displayName(column: string): string {
  return column
    .split(':')
    .map((slot) => slot.replace(/(?<=.)(?:\.\d+)+$/, (indices) => `[${indices.slice(1).replaceAll('.', ',')}]`))
    .join('.');
}
