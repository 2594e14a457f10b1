import { existsSync } from 'node:fs';

/** The path of an installed program: the one that the environment variable names, otherwise the first of `places` that exists. */
export function installed(variable: string, places: readonly string[]): string | undefined {
  const named = process.env[variable];
  return [...(named === undefined ? [] : [named]), ...places].find((path) => existsSync(path));
}
