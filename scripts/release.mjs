// Collects what a release consists of in a folder: the npm package, the one of the library alone, the Python wheel, the R package, the
// extension for Visual Studio Code, the page, a software bill of materials (CycloneDX), the changelog's section, and checksums. The same sources
// and tools give the same bytes.
// Usage: node scripts/release.mjs [--folder FOLDER] after `npm run build`; `npm run release` does both.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { zipSync } from 'fflate';

const root = fileURLToPath(new URL('..', import.meta.url));
const { values } = parseArgs({ options: { folder: { type: 'string', default: join(root, 'dist/release') } } });
const folder = resolve(values.folder);
const { name, version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
/** The property of packages that only building takes. */
const DEVELOPMENT = 'cdx:npm:package:development';
const run = (command, ...options) => execFileSync(command, options, { cwd: root, maxBuffer: 1 << 28 });

rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });

run('npm', 'pack', '--ignore-scripts', '--silent', '--pack-destination', folder);
run(process.execPath, 'scripts/build-library.mjs', '--folder', folder);
run('python3', '-m', 'pip', 'wheel', '--quiet', '--no-deps', '--no-cache-dir', '--wheel-dir', folder, './python');
run(process.execPath, 'scripts/build-r.mjs', '--folder', folder);
run(process.execPath, 'scripts/build-vscode.mjs', '--folder', folder);
writeFileSync(join(folder, `${name}-page-${version}.zip`), zippedPage());
writeFileSync(join(folder, `${name}-${version}.cdx.json`), billOfMaterials());
writeFileSync(join(folder, 'CHANGES.md'), changes());

const files = readdirSync(folder).sort();
const sums = files.map(
  (file) =>
    `${createHash('sha256')
      .update(readFileSync(join(folder, file)))
      .digest('hex')}  ${file}\n`,
);
writeFileSync(join(folder, 'SHA256SUMS'), sums.join(''));
console.log(`${folder}:\n${sums.join('')}`);

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
 * What is installed with the npm package, without the time and the random number that npm adds. Packages for development are left out
 * here, because `npm sbom --omit dev` of npm 11 also leaves out packages that both ours and one for development depend on.
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
