/** Starts an entry of a bundle: loads the bundle with V8's stored code, and stores the code after the first runs. */
import { readFileSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Script } from 'node:vm';
import { isMainThread } from 'node:worker_threads';
import { crc32 } from 'node:zlib';
import envPaths from 'env-paths';
import { limitMemories } from './address-space.js';
import { CodeCache } from './code-cache.js';
import { purpose } from './purpose.js';
import { resetV8Flags, setV8Flags } from './v8-flags.js';

/** Parameters in the file of an entry (scripts/build-bundle.mjs). */
interface Launch {
  /** File of the bundle. The bundle exports functions that run entries. */
  readonly bundle: string;
  /** SHA-256 of the bundle. */
  readonly digest: string;
  readonly entry: string;
  /** What the process runs, if not its first argument. */
  readonly command?: string;
  /** `require` of a file in the folder of the bundle. */
  readonly require: NodeJS.Require;
}

/** A bundle as a function. Its parameters are those of a CommonJS module, its URL, and `import`. */
type Bundle = (
  module: { readonly exports: Record<string, () => unknown> },
  exports: object,
  require: NodeJS.Require,
  folder: string,
  file: string,
  url: string,
  importModule: (url: string) => Promise<unknown>,
) => void;

/** Number of processes that add to the stored code. Each compiles functions that earlier processes did not call. */
const GENERATIONS = 4;
/**
 * Milliseconds after which a process or thread stores its code, in case it is killed later: for a thread after its first work; for a process
 * later, because storing changes V8's flags, and V8 rejects the stored code of threads that start then.
 */
const CALM = isMainThread ? 1000 : 100;

/** Runs an entry. Returns the exports of its module. */
export function start({ bundle, command = purpose(), digest, entry, require }: Launch): unknown {
  const file = join(__dirname, bundle);
  const cache = openCache();
  const name = cache === undefined ? '' : nameOf(file, digest, entry, command);
  const stored = cache?.read(name);
  const script = new Script(readFileSync(file, 'latin1'), {
    filename: file,
    cachedData: stored?.code,
  });
  const known = script.cachedDataRejected === false ? stored : undefined;
  if (cache !== undefined && (known?.generation ?? 0) < GENERATIONS) storeLater(cache, name, script, known);
  limitMemories();
  setV8Flags();
  const run: Bundle = script.runInThisContext();
  const module: Parameters<Bundle>[0] = { exports: {} };
  run(module, module.exports, require, __dirname, file, pathToFileURL(file).href, (url) => import(url));
  return module.exports[entry]();
}

/** The code cache; undefined if the user has disabled it or if it has no folder. */
function openCache(): CodeCache | undefined {
  if (process.env.NODE_DISABLE_COMPILE_CACHE === '1') return undefined;
  const { LEAPFROG_CODE_CACHE: given } = process.env;
  if (given === undefined && homedir() === '') return undefined;
  return new CodeCache(given ?? envPaths('leapfrog-code', { suffix: '' }).cache);
}

/**
 * File name of the stored code. It depends on the bundle, the command, the version of Node and its options. V8 itself
 * also compares its version and flags.
 */
function nameOf(file: string, digest: string, entry: string, command: string): string {
  const { mtimeMs, size } = statSync(file);
  const { arch, execArgv, env, platform, versions } = process;
  const parts = [mtimeMs, size, entry, command, versions.node, versions.v8, platform, arch];
  const text = JSON.stringify([...parts, execArgv, env.NODE_OPTIONS ?? '']);
  return `${entry}-${digest.slice(0, 16)}-${crc32(text).toString(16)}`;
}

/**
 * Stores the code after `CALM`, and when the process or thread ends. New code can lack functions that have not run, so
 * the larger code is kept.
 */
function storeLater(cache: CodeCache, name: string, script: Script, known: ReturnType<CodeCache['read']>): void {
  const generation = (known?.generation ?? 0) + 1;
  let code = known?.code ?? Buffer.alloc(0);
  const store = () => {
    resetV8Flags();
    const made = script.createCachedData();
    setV8Flags();
    if (made.length > code.length) code = made;
    cache.write(name, { code, generation });
  };
  setTimeout(store, CALM).unref();
  process.once('exit', (status) => {
    if (status === 0) store();
  });
}
