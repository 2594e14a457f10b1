/**
 * Collects the files of the container image, which contains no distribution of Linux: Node.js without its symbols, the libraries that it loads,
 * the bundles of scripts/build-bundle.mjs, the kernels, the page, and the package that the bundles leave out. FOLDER/root is the file system
 * of the image, and FOLDER/own has the folders that belong to its user.
 * Usage, on Linux after `npm run build`: node scripts/build-image.mjs --folder FOLDER
 */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const root = fileURLToPath(new URL('..', import.meta.url));
const { values } = parseArgs({ options: { folder: { type: 'string' } } });
if (values.folder === undefined) throw new Error('--folder is required');
const image = join(resolve(values.folder), 'root');
const own = join(resolve(values.folder), 'own');
const home = 'opt/leapfrog';

/** The user of the image: `node` of Node's own image, to whom existing volumes belong. */
const USER = 'node:x:1000:1000::/home/node:/nonexistent';

for (const folder of [image, own]) rmSync(folder, { recursive: true, force: true });
for (const folder of ['data', 'home/node', 'tmp']) mkdirSync(join(own, folder), { recursive: true });

write('etc/passwd', `root:x:0:0:root:/root:/nonexistent\n${USER}\n`);
write('etc/group', 'root:x:0:\nnode:x:1000:\n');
write('etc/nsswitch.conf', 'hosts: files dns\n');

copy(process.execPath, 'usr/local/bin/node');
execFileSync('strip', [join(image, 'usr/local/bin/node')]);
for (const library of libraries(process.execPath)) copy(library, library);
// Licenses that must accompany Node.js and the libraries, where this machine has them.
for (const name of ['gcc-12-base', 'libc6', 'libgcc-s1', 'libstdc++6']) optional(`/usr/share/doc/${name}/copyright`);
optional(join(dirname(process.execPath), '..', 'LICENSE'), 'usr/local/LICENSE');

const kernels = readdirSync(join(root, 'build')).filter((name) => /^kernels\.json$|\.wasm$/.test(name));
const files = ['package.json', 'LICENSE', 'build/bundle', 'dist/web', ...kernels.map((name) => `build/${name}`)];
for (const file of files) copy(join(root, file), join(home, file));
// The bundles contain this code as well, but the names of models are made of its bytes.
copyCode('dist/src', (path) => /\.js$/.test(path) && !/\.test\.js$/.test(path));
for (const folder of withDependencies('node_modules/@fastify/swagger-ui')) copyPackage(folder);

// One date for all: the same sources give the same image, and no bundle seems older than the code that it was made of.
const date = new Date('1980-01-01T00:00:00Z');
for (const name of readdirSync(image, { recursive: true })) utimesSync(join(image, name), date, date);

function write(path, text) {
  mkdirSync(dirname(join(image, path)), { recursive: true });
  writeFileSync(join(image, path), text);
}

/** Copies a file or a folder, and what a symbolic link names. */
function copy(from, to) {
  cpSync(from, join(image, to), { recursive: true, dereference: true });
}

/** Copies the files of a folder of ours that are wanted. */
function copyCode(folder, isWanted) {
  const entries = readdirSync(join(root, folder), { recursive: true, withFileTypes: true });
  for (const entry of entries) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile() && isWanted(path)) copy(path, join(home, relative(root, path)));
  }
}

function optional(from, to = from) {
  if (existsSync(from)) copy(from, to);
}

/** The shared libraries of a program, and what loads them. */
function libraries(program) {
  const listed = execFileSync('ldd', [program], { encoding: 'utf8' });
  return Array.from(listed.matchAll(/(\/\S+) \(0x/g), ([, path]) => path);
}

/** The folders of a package and of all packages that it needs. */
function withDependencies(folder, found = new Set()) {
  if (found.has(folder)) return found;
  found.add(folder);
  const { dependencies = {} } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
  for (const name of Object.keys(dependencies)) withDependencies(locate(name, folder), found);
  return found;
}

/** Where Node finds a package that is needed in a folder: in the nearest `node_modules`. */
function locate(name, folder) {
  for (let place = folder; ; place = dirname(place)) {
    const path = join(place, 'node_modules', name);
    if (existsSync(join(root, path))) return path;
    if (place === '.') throw new Error(`${folder} needs ${name}, which is not installed`);
  }
}

/** Copies a package without its types and without the packages below it, which are copied by themselves. */
function copyPackage(folder) {
  const from = join(root, folder);
  const filter = (path) => !/(?:^|\/)node_modules$|\.(?:map|[cm]?ts)$/.test(relative(from, path));
  cpSync(from, join(image, home, folder), { recursive: true, filter });
}
