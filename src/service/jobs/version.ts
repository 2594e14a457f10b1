import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Folders beside this one whose code does not change what a program compiles to. */
const OUTSIDE: ReadonlySet<string> = new Set(['service', 'cli', 'client', 'inference', 'messages']);

/** Tells builds of the engine apart: a hash of its code, with the platform. */
export async function engineVersion(): Promise<string> {
  const root = fileURLToPath(new URL('../../', import.meta.url));
  const hash = createHash('sha256');
  const entries = await readdir(root, { withFileTypes: true });
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    if (OUTSIDE.has(entry.name)) continue;
    const path = join(root, entry.name);
    const names = entry.isDirectory() ? (await readdir(path, { recursive: true })).sort() : [''];
    for (const name of names.filter((name) => isCode(name === '' ? entry.name : name))) {
      hash.update(join(entry.name, name)).update(await readFile(join(path, name)));
    }
  }
  return `${hash.digest('hex')} ${process.platform} ${process.arch}`;
}

function isCode(name: string): boolean {
  return /\.(js|wasm)$/.test(name) && !name.endsWith('.test.js');
}
