import { execFileSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../project/tree.js';

/** Seconds that a command took, with all processes that it started. */
export interface Seconds {
  readonly elapsed: number;
  readonly processor: number;
}

export interface CommandOptions {
  readonly folder: string;
  readonly variables?: Readonly<Record<string, string>>;
}

/** Runs a command. Throws with the end of its output if it fails. */
export function measured(command: readonly string[], { folder, variables = {} }: CommandOptions): Seconds {
  const wrapped = [join(ROOT, 'test/bench/installs/measured.py'), ...command];
  const environment = { ...process.env, ...variables };
  const output = execFileSync('python3', wrapped, {
    cwd: folder,
    encoding: 'utf8',
    env: environment,
    maxBuffer: 2 ** 28,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return JSON.parse(output);
}

export function sumOf(seconds: readonly Seconds[]): Seconds {
  const add = (total: Seconds, { elapsed, processor }: Seconds): Seconds => ({
    elapsed: total.elapsed + elapsed,
    processor: total.processor + processor,
  });
  return seconds.reduce(add, { elapsed: 0, processor: 0 });
}

/** Megabytes (10⁶ bytes) of a file, or of the files below a folder. Symbolic links in the folder are not followed. */
export function megabytes(path: string): number {
  const found = statSync(path);
  if (!found.isDirectory()) return found.size / 1e6;
  let bytes = 0;
  for (const entry of readdirSync(path, { recursive: true, withFileTypes: true })) {
    if (entry.isFile()) bytes += statSync(join(entry.parentPath, entry.name)).size;
  }
  return bytes / 1e6;
}

/**
 * Megabytes of the C++ compiler and make, with all packages of Debian that they need beyond those of Python, and of `libraries` without what they
 * need; undefined on other systems.
 */
export function toolchainMegabytes(libraries: readonly string[] = []): number | undefined {
  const run = (command: string, ...args: readonly string[]) =>
    execFileSync(command, args, { encoding: 'utf8', maxBuffer: 2 ** 28 });
  const needed = (...names: readonly string[]) => {
    const empty = ['-o', 'Dir::State::status=/dev/null', '--no-install-recommends', '--simulate'];
    return [...run('apt-get', ...empty, 'install', ...names).matchAll(/^Inst (\S+)/gm)].map(([, name]) => name);
  };
  try {
    const present = new Set(needed('python3'));
    const added = needed('python3', 'g++', 'make').filter((name) => !present.has(name));
    const shown = run('apt-cache', 'show', '--no-all-versions', ...added, ...libraries);
    const kilobytes = [...shown.matchAll(/^Installed-Size: (\d+)$/gm)].map(([, size]) => Number(size));
    return (kilobytes.reduce((sum, size) => sum + size, 0) * 1024) / 1e6;
  } catch {
    return undefined;
  }
}
