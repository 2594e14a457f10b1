/** Settings of the client, in the section `leapfrog`. */
import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';

export interface Settings {
  /** Whether to show the warnings of stanc's `--warn-pedantic`. */
  readonly pedantic: boolean;
  /** Absolute paths. */
  readonly includePaths: readonly string[];
}

/**
 * Parses the client's settings. Ignores members of a wrong type.
 * @param given folders on the command line, which precede those of the client
 * @param folders folders of the workspace, against which relative paths are resolved
 */
export function settingsFrom(sent: unknown, given: readonly string[], folders: readonly string[]): Settings {
  const own = isObject(sent) && isObject(sent.leapfrog) ? sent.leapfrog : sent;
  const { pedantic, includePaths } = isObject(own) ? own : {};
  const listed = Array.isArray(includePaths) ? includePaths.filter((path) => typeof path === 'string') : [];
  const absolute = listed.flatMap((path) => {
    if (path.startsWith('~/')) return [join(homedir(), path.slice(2))];
    if (isAbsolute(path)) return [path];
    return folders.map((folder) => join(folder, path));
  });
  return {
    pedantic: typeof pedantic === 'boolean' ? pedantic : true,
    includePaths: [...given.map((path) => resolve(path)), ...absolute],
  };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
