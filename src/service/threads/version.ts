import { createHash, type Hash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { packageRoot } from '../../node/package-root.js';

/** Folders whose code does not affect the result of compiling a program. */
const OUTSIDE: ReadonlySet<string> = new Set(['service', 'cli', 'client', 'inference', 'messages']);

/** Identifies the build of the engine: a hash of its code and its kernels, with the platform. */
export function engineVersion(): string {
  const root = packageRoot(dirname(fileURLToPath(import.meta.url)));
  const here = join(root, 'dist', 'src');
  const entries = readdirSync(here, { withFileTypes: true });
  const engine = entries.filter(({ name }) => !OUTSIDE.has(name));
  const hash = createHash('sha256');
  for (const entry of engine.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(here, entry.name);
    if (entry.isDirectory()) hashFolder(hash, path);
    else if (isCode(entry.name)) hash.update(entry.name).update(readFileSync(path));
  }
  hashFolder(hash, join(root, 'build'));
  return `${hash.digest('hex')} ${process.platform} ${process.arch}`;
}

function hashFolder(hash: Hash, folder: string): void {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  for (const name of names.filter(isCode).sort()) hash.update(name).update(readFileSync(join(folder, name)));
}

function isCode(name: string): boolean {
  return /\.(js|wasm)$/.test(name) && !name.endsWith('.test.js');
}
