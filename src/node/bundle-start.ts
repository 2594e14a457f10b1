/** The start of a bundle's entry: loads the bundle with V8's stored code, and stores the code after the first runs. */
import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Script } from 'node:vm';
import envPaths from 'env-paths';
import { CodeCache } from './code-cache.js';
import { purpose } from './purpose.js';
import { setV8Flags } from './v8-flags.js';

/** What the file of an entry states (scripts/build-bundle.mjs). */
interface Launch {
  /** File of the bundle, which exports functions that run entries. */
  readonly bundle: string;
  /** SHA-256 of the bundle. */
  readonly digest: string;
  readonly entry: string;
}

/** A bundle is the body of a function with the parameters of a CommonJS module, its URL, and `import`. */
type Bundle = (
  module: { readonly exports: Record<string, () => unknown> },
  exports: object,
  require: NodeJS.Require,
  folder: string,
  file: string,
  url: string,
  importModule: (url: string) => Promise<unknown>,
) => void;

/** How many processes add to stored code: each compiles functions that earlier ones did not call. */
const GENERATIONS = 4;
/** Milliseconds after which code is stored in a process or thread that may later be killed. */
const CALM = 1000;

/** Runs an entry, and returns what its module exports. */
export function start({ bundle, digest, entry }: Launch): unknown {
  setV8Flags();
  const file = join(__dirname, bundle);
  const cache = openCache();
  const name = cache === undefined ? '' : nameOf(file, digest, entry);
  const stored = cache?.read(name);
  const script = new Script(readFileSync(file, 'latin1'), {
    filename: file,
    cachedData: stored?.code,
  });
  const known = script.cachedDataRejected === false ? stored : undefined;
  if (cache !== undefined && (known?.generation ?? 0) < GENERATIONS) storeLater(cache, name, script, known);
  const run: Bundle = script.runInThisContext();
  const module: Parameters<Bundle>[0] = { exports: {} };
  run(module, module.exports, createRequire(file), __dirname, file, pathToFileURL(file).href, (url) => import(url));
  return module.exports[entry]();
}

/** Undefined if the user does not want one, or has no folder for it. */
function openCache(): CodeCache | undefined {
  if (process.env.NODE_DISABLE_COMPILE_CACHE === '1') return undefined;
  const { LEAPFROG_CODE_CACHE: given } = process.env;
  if (given === undefined && homedir() === '') return undefined;
  return new CodeCache(given ?? envPaths('leapfrog-code', { suffix: '' }).cache);
}

/** Differs where V8 or the bundle does. V8 itself also compares its version and flags. */
function nameOf(file: string, digest: string, entry: string): string {
  const { mtimeMs, size } = statSync(file);
  const { arch, execArgv, env, platform, versions } = process;
  const parts = [digest, mtimeMs, size, entry, purpose(), versions.node, versions.v8, platform, arch];
  const text = JSON.stringify([...parts, execArgv, env.NODE_OPTIONS ?? '']);
  return `${entry}-${createHash('sha256').update(text).digest('hex').slice(0, 32)}`;
}

/** Stores the code when the process or thread ends, or before. Functions that did not run now may be missing; then the larger code is kept. */
function storeLater(cache: CodeCache, name: string, script: Script, known: ReturnType<CodeCache['read']>): void {
  const generation = (known?.generation ?? 0) + 1;
  let code = known?.code ?? Buffer.alloc(0);
  const store = () => {
    clearTimeout(timer);
    const made = script.createCachedData();
    if (made.length > code.length) code = made;
    cache.write(name, { code, generation });
  };
  const timer = setTimeout(store, CALM).unref();
  process.once('exit', (status) => {
    if (status === 0) store();
  });
}
