/**
 * Bundles what starts processes and threads, in build/bundle: a process then reads a few files instead of hundreds, and V8's code of a bundle
 * can be stored (src/node/bundle-start.ts). Names and lines are kept, so that stack traces can be read. Entries without a bundle are started in
 * dist/. The same sources give the same bytes. With `--folder FOLDER`, the bundles go there; with `--library`, they are those of the threads of the
 * library alone (scripts/build-library.mjs).
 */
import { createHash } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';
import { recordInputs } from './built-bundle.mjs';
import { licenses, OF_KERNELS, packageFolder } from './licenses.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const BUNDLE = join(root, 'build', 'bundle');
const { values } = parseArgs({
  options: { folder: { type: 'string', default: BUNDLE }, library: { type: 'boolean', default: false } },
});
const folder = resolve(values.folder);

/** Entries of the threads of the library, as files of dist/src. */
const THREADS_OF_LIBRARY = {
  'compiler-worker': 'node/library/compiler-worker.js',
  'runner-worker': 'node/library/runner-worker.js',
  'slice-worker': 'node/slice-worker.js',
  'statistics-worker': 'node/library/statistics-worker.js',
};
/** Entries of each bundle. */
const BUNDLES = {
  command: { main: 'cli/command-line.js' },
  server: { server: 'service/server.js', work: 'service/work.js' },
  engine: {
    worker: 'service/threads/worker.js',
    'import-thread': 'cli/draws/import-thread.js',
    'analysis-worker': 'lsp/analysis-worker.js',
    'model-main': 'cmdstan/model-main.js',
    'tools-main': 'cmdstan/tools-main.js',
    pipe: 'pipe/main.js',
    ...THREADS_OF_LIBRARY,
  },
};
/** These packages read files of their folders. */
const EXTERNAL = ['@fastify/swagger-ui'];
/** The server is loaded by two commands alone, and larger than all others. */
const serverApart = {
  name: 'server apart',
  setup: ({ onLoad, onResolve }) => {
    onResolve({ filter: /\/service\/(server|work)\.js$/ }, ({ kind, path }) =>
      kind === 'dynamic-import' ? { namespace: 'apart', path: `./${basename(path, '.js')}.cjs` } : undefined,
    );
    onResolve({ filter: /^/, namespace: 'apart' }, ({ path }) => ({ external: true, path }));
    onLoad({ filter: /^/, namespace: 'apart' }, ({ path }) => ({ contents: `module.exports = require('${path}');` }));
  },
};
/** Commander starts processes only for commands that are files. Loading the module takes as long as parsing the arguments. */
const withoutProcesses = {
  name: 'without processes',
  setup: ({ onLoad, onResolve }) => {
    onResolve({ filter: /^node:child_process$/ }, ({ importer }) =>
      importer.includes('/node_modules/commander/') ? { namespace: 'absent', path: 'child_process' } : undefined,
    );
    onLoad({ filter: /^/, namespace: 'absent' }, () => ({ contents: 'module.exports = {};' }));
  },
};

const options = {
  absWorkingDir: root,
  bundle: true,
  charset: 'ascii',
  external: EXTERNAL,
  format: 'cjs',
  // apache-arrow is marked as free of side effects, but one of its modules adds methods to the classes of another.
  ignoreAnnotations: true,
  legalComments: 'none',
  logLevel: 'warning',
  metafile: true,
  platform: 'node',
  target: 'node20',
  write: false,
};

/** Folders of the packages in the bundles and the kernels. */
const packages = new Set([OF_KERNELS]);
/** Own modules in the bundles. */
const modules = new Set();

async function bundle(settings) {
  const { metafile, outputFiles } = await build({ ...options, ...settings });
  for (const input of Object.keys(metafile.inputs)) {
    const package_ = packageFolder(input);
    if (package_ !== undefined) packages.add(package_);
    else if (input.startsWith('dist/')) modules.add(input);
  }
  return inAscii(outputFiles[0].text);
}

/**
 * Escapes all characters other than ASCII, also in regular expressions, which esbuild leaves: bundles are read as
 * Latin-1, which is faster.
 */
function inAscii(text) {
  return text.replace(/(\\*)([^\0-\x7f])/g, (_, backslashes, character) => {
    const code = `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
    return backslashes.slice(backslashes.length % 2) + code;
  });
}

/** The file of the command. In a checkout, which `npm link` installs, it refuses a bundle that is older than the modules in `dist`. */
function ofCommand(starting) {
  return `#!/usr/bin/env node
const start = () => ${starting};
if (require('node:fs').existsSync(\`\${__dirname}/../bundle-inputs.json\`)) {
  import('../../scripts/built-bundle.mjs').then(({ isCurrent }) => isCurrent() && start());
} else start();
`;
}

await rm(folder, { recursive: true, force: true });
await mkdir(folder, { recursive: true });
for (const [name, entries] of Object.entries(values.library ? { library: THREADS_OF_LIBRARY } : BUNDLES)) {
  const exported = Object.entries(entries).map(
    ([entry, file]) => `  '${entry}': () => require('./dist/src/${file}'),\n`,
  );
  const code = await bundle({
    stdin: { contents: `module.exports = {\n${exported.join('')}};\n`, resolveDir: root, sourcefile: `${name}.js` },
    plugins: name === 'server' ? [] : [serverApart, withoutProcesses],
    // V8 forgets how to import modules with code that was stored.
    supported: { 'dynamic-import': false },
    define: { 'import.meta.url': 'bundleUrl' },
    banner: { js: '(function (module, exports, require, __dirname, __filename, bundleUrl, bundleImport) {' },
    footer: { js: '})' },
  });
  await writeFile(join(folder, `${name}-bundle.cjs`), code);
  const digest = createHash('sha256').update(code).digest('hex');
  for (const entry of Object.keys(entries)) {
    // The arguments of a process that uses the library are not commands of ours.
    const launch = { bundle: `${name}-bundle.cjs`, digest, entry, command: values.library ? '' : undefined };
    const starting = `require('./start.cjs').start({ ...${JSON.stringify(launch)}, require })`;
    const isCommand = entry === 'main';
    await writeFile(join(folder, `${entry}.cjs`), isCommand ? ofCommand(starting) : `module.exports = ${starting};\n`, {
      mode: isCommand ? 0o755 : 0o644,
    });
  }
}
const start = await bundle({ entryPoints: [join(root, 'dist', 'src', 'node', 'bundle-start.js')] });
await writeFile(join(folder, 'start.cjs'), start);
await writeFile(join(folder, 'LICENSES.txt'), licenses(packages));
if (values.folder === BUNDLE) recordInputs(root, modules);
