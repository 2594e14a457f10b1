// Collects what a release consists of in a folder: the npm package, the one of the library alone, the Python wheel, the R package, the
// extension for Visual Studio Code, the page, on Linux the container image, a software bill of materials (CycloneDX), the changelog's section, a statement of provenance (in-toto,
// SLSA 1.0, unsigned), and checksums. The same sources and tools give the same bytes.
// Usage: node scripts/release.mjs [--folder FOLDER] after `npm run build` and `npm run build:packages`; `npm run release` does all.
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { unzipSync, zipSync } from 'fflate';

const root = fileURLToPath(new URL('..', import.meta.url));
const { values } = parseArgs({ options: { folder: { type: 'string', default: join(root, 'dist/release') } } });
const folder = resolve(values.folder);
const described = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const { name, version } = described;
/** The property of packages that only building takes. */
const DEVELOPMENT = 'cdx:npm:package:development';
const run = (command, ...options) => execFileSync(command, options, { cwd: root, maxBuffer: 1 << 28 });

rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });

run(process.execPath, 'scripts/build-npm.mjs', '--folder', folder);
run(process.execPath, 'scripts/build-library.mjs', '--folder', folder);
run('python3', '-m', 'pip', 'wheel', '--quiet', '--no-deps', '--no-cache-dir', '--wheel-dir', folder, './python');
run(process.execPath, 'scripts/build-r.mjs', '--folder', folder);
run(process.execPath, 'scripts/build-vscode.mjs', '--folder', folder);
writeFileSync(join(folder, `${name}-page-${version}.zip`), zippedPage());
if (process.platform === 'linux' && spawnSync('strip', ['--version']).status === 0) {
  run(
    process.execPath,
    'scripts/pack-image.mjs',
    '--out',
    join(folder, `${name}-image-${version}-${process.arch}.tar`),
  );
}
writeFileSync(join(folder, `${name}-${version}.cdx.json`), billOfMaterials());
writeFileSync(join(folder, 'CHANGES.md'), changes());

writeFileSync(join(folder, `${name}-${version}.intoto.json`), `${JSON.stringify(provenance(), null, 2)}\n`);

const sums = digests().map(([file, sum]) => `${sum}  ${file}\n`);
writeFileSync(join(folder, 'SHA256SUMS'), sums.join(''));
console.log(`${folder}:\n${sums.join('')}`);
const absent = ['homepage', 'repository', 'bugs'].filter((field) => described[field] === undefined);
if (!described.author.includes('<')) absent.push('an e-mail address in author, which CRAN requires');
if (absent.length > 0) console.log(`package.json does not have: ${absent.join(', ')}`);

/** The files so far, with their SHA-256. */
function digests() {
  const sum = (file) => createHash('sha256').update(readFileSync(join(folder, file)));
  return readdirSync(folder)
    .sort()
    .map((file) => [file, sum(file).digest('hex')]);
}

/** Of which commit, packages and tools the files so far are made. It has no times and no names of machines. */
function provenance() {
  const status = git('status', '--porcelain', '--untracked-files=no');
  const source = { name: 'source', digest: { gitCommit: git('rev-parse', 'HEAD') } };
  return {
    _type: 'https://in-toto.io/Statement/v1',
    subject: digests().map(([file, sha256]) => ({ name: file, digest: { sha256 } })),
    predicateType: 'https://slsa.dev/provenance/v1',
    predicate: {
      buildDefinition: {
        buildType: 'urn:leapfrog:release:1',
        externalParameters: { command: 'npm run release', version },
        internalParameters: { platform: `${process.platform}-${process.arch}`, hasUncommittedChanges: status !== '' },
        resolvedDependencies: [source, ...lockedPackages()],
      },
      runDetails: { builder: { id: 'urn:leapfrog:builder:npm', version: tools() } },
    },
  };
}

function git(...options) {
  return run('git', ...options)
    .toString()
    .trim();
}

/** Every package of the lock file, also those for development, as a package URL with the SHA-512 that npm checks. */
function lockedPackages() {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const found = new Map();
  for (const [path, { integrity, name: alias, version: locked }] of Object.entries(packages)) {
    if (integrity === undefined) continue;
    const packageName = alias ?? path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
    const uri = `pkg:npm/${packageName.replace('@', '%40')}@${locked}`;
    found.set(uri, Buffer.from(integrity.slice('sha512-'.length), 'base64').toString('hex'));
  }
  return [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([uri, sha512]) => ({ uri, digest: { sha512 } }));
}

/** Versions of the tools that the lock file does not have. pip chooses that of hatchling, which the wheel names. */
function tools() {
  const wheel = readdirSync(folder).find((file) => file.endsWith('.whl'));
  const [described] = Object.values(
    unzipSync(readFileSync(join(folder, wheel)), { filter: ({ name: path }) => path.endsWith('.dist-info/WHEEL') }),
  );
  const [, hatchling] = /^Generator: hatchling (.*)$/m.exec(Buffer.from(described).toString());
  return { node: process.versions.node, npm: run('npm', '--version').toString().trim(), hatchling };
}

/** The page as files for any web server. Entries are in a fixed order and have one date. */
function zippedPage() {
  const page = join(root, 'dist/web');
  const paths = readdirSync(page, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(page.length + 1))
    .sort();
  const entries = Object.fromEntries(paths.map((path) => [path, readFileSync(join(page, path))]));
  return zipSync(entries, { level: 9, mtime: new Date(1980, 0, 1) });
}

/**
 * What the npm package contains or is installed with, without the time and the random number that npm adds. Packages for development are left
 * out here, because `npm sbom --omit dev` of npm 11 also leaves out packages that both ours and one for development depend on.
 */
function billOfMaterials() {
  const text = run('npm', 'sbom', '--sbom-format', 'cyclonedx', '--package-lock-only').toString();
  const { serialNumber: _, components, dependencies, metadata, ...rest } = JSON.parse(text);
  const { timestamp: __, component, ...described } = metadata;
  const installed = components.filter(({ properties }) => !properties.some(({ name }) => name === DEVELOPMENT));
  const known = new Set([component['bom-ref'], ...installed.map((each) => each['bom-ref'])]);
  const needed = dependencies
    .filter(({ ref }) => known.has(ref))
    .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((each) => known.has(each)) }));
  const bill = { ...rest, metadata: { ...described, component: { ...component, name } } };
  return `${JSON.stringify({ ...bill, components: installed, dependencies: needed }, null, 2)}\n`;
}

/** The section of this version in the changelog, or that of unreleased changes. */
function changes() {
  const sections = readFileSync(join(root, 'CHANGELOG.md'), 'utf8').split(/^(?=## )/m);
  const title = (section) => section.slice('## '.length).split('\n', 1)[0];
  const found =
    sections.find((section) => title(section).startsWith(version)) ??
    sections.find((section) => title(section) === 'Unreleased');
  if (found === undefined) throw new Error(`CHANGELOG.md has no section ${version} or Unreleased`);
  return found;
}
