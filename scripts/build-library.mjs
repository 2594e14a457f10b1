/**
 * Collects the library alone in dist/library, as the npm package leapfrog-stan: the modules that `import 'leapfrog'` reaches in a page, those in Node
 * as bundles, the types of both, and the kernels. It depends on no other package. With `--folder FOLDER`, also packs it there.
 */
import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';
import { licenses, OF_KERNELS } from './licenses.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const staging = join(root, 'dist', 'library');
const { values } = parseArgs({ options: { folder: { type: 'string' } } });
const described = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

/** Threads are started by the URL of their file, which imports do not show. */
const IN_PAGE = ['index.js', 'compiler-worker.js', 'runner-worker.js', 'statistics-worker.js'].map((file) =>
  join('dist/src/library/page', file),
);
const IN_NODE = 'dist/src/node/library/index.js';
const KERNELS = ['kernels.json', 'linear.wasm', 'math.wasm', 'text.wasm'].map((file) => join('build', file));

const { files: modules } = await bundled(IN_PAGE);
const { code } = await bundled([IN_NODE]);
const files = [...modules, ...types([...IN_PAGE, IN_NODE]), ...KERNELS, 'LICENSE'];
rmSync(staging, { recursive: true, force: true });
for (const file of files) {
  mkdirSync(dirname(join(staging, file)), { recursive: true });
  copyFileSync(join(root, file), join(staging, file));
}
writeFileSync(join(staging, IN_NODE), code);
const threads = ['--library', '--folder', join(staging, 'build/bundle')];
execFileSync(process.execPath, [join(root, 'scripts/build-bundle.mjs'), ...threads]);
writeFileSync(join(staging, 'README.md'), readme());
writeFileSync(join(staging, 'LICENSES.txt'), licenses([OF_KERNELS]));
writeFileSync(join(staging, 'package.json'), `${JSON.stringify(manifest(), null, 2)}\n`);
if (values.folder !== undefined) {
  execFileSync('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', values.folder], { cwd: staging });
}

/** The modules that the entries reach, and the code of the first entry with them. Fails where one is of another package. */
async function bundled(entryPoints) {
  const { metafile, outputFiles, warnings } = await build({
    absWorkingDir: root,
    bundle: true,
    entryPoints,
    format: 'esm',
    legalComments: 'none',
    logLevel: 'error',
    metafile: true,
    outdir: 'dist/unwritten',
    packages: 'external',
    platform: 'node',
    target: 'node20',
    write: false,
  });
  const others = Object.values(metafile.outputs)
    .flatMap(({ imports }) => imports)
    .filter(({ external, path }) => external && !path.startsWith('node:'));
  if (others.length > 0 || warnings.length > 0)
    throw new Error(`the library imports ${others.map(({ path }) => path)}`);
  return { files: Object.keys(metafile.inputs), code: outputFiles[0].text };
}

/** The declarations that those of the entries name. */
function types(entries) {
  const found = new Set();
  const left = entries.map((file) => file.replace(/\.js$/, '.d.ts')).filter((file) => existsSync(join(root, file)));
  for (let file = left.pop(); file !== undefined; file = left.pop()) {
    if (found.has(file)) continue;
    found.add(file);
    const text = readFileSync(join(root, file), 'utf8');
    for (const [, stated, inferred] of text.matchAll(/(?:from|import) '([^']+)'|import\(["']([^"']+)["']\)/g)) {
      const name = stated ?? inferred;
      if (name.startsWith('node:')) continue;
      if (!name.startsWith('.')) throw new Error(`${file} has types of ${name}`);
      left.push(relative(root, join(root, dirname(file), name)).replace(/\.js$/, '.d.ts'));
    }
  }
  return [...found];
}

function manifest() {
  const { author, bugs, engines, exports, homepage, keywords, license, repository, type, version } = described;
  const { '.': library } = exports;
  return {
    name: 'leapfrog-stan',
    version,
    description: 'Stan in JavaScript: compiles Stan programs to WebAssembly and samples them, in Node and in web pages',
    keywords,
    author,
    license,
    homepage,
    repository,
    bugs,
    type,
    engines,
    exports: { '.': library, './package.json': './package.json' },
  };
}

/** The page on the library, with the name under which it is imported here. Its links lead to pages that the package does not have. */
function readme() {
  const text = readFileSync(join(root, 'docs', 'library.md'), 'utf8');
  return text
    .replaceAll("from 'leapfrog'", "from 'leapfrog-stan'")
    .replace(/\[([^\]]+)\]\([\w-]+\.md(?:#[\w-]+)?\)/g, '$1');
}
