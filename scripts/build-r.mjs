/**
 * Puts the engine into the R package (r/inst/engine): the files that scripts/build-python.mjs has collected. With `--folder FOLDER`, instead packs
 * the package's source with the engine there, with the version of package.json. The same files give the same bytes.
 */
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';

const root = fileURLToPath(new URL('..', import.meta.url));
const source = join(root, 'r');
const INSTALLED = 'inst/engine';
const engine = join(root, 'python', 'src', 'leapfrog', '_engine');
const { values } = parseArgs({ options: { folder: { type: 'string' } } });

if (values.folder === undefined) put();
else pack(values.folder);

function put() {
  const installed = join(source, INSTALLED);
  rmSync(installed, { recursive: true, force: true });
  cpSync(engine, installed, { recursive: true });
}

function pack(folder) {
  const described = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const { version } = described;
  const own = filesIn(source).filter(([path]) => !path.startsWith(`${INSTALLED}/`));
  const added = filesIn(engine).map(([path, file]) => [`${INSTALLED}/${path}`, file]);
  const files = [...own, ...added].sort(([a], [b]) => (a < b ? -1 : 1));
  const entries = files.flatMap(([path, file]) => {
    const bytes = readFileSync(file);
    const contents = path === 'DESCRIPTION' ? description(bytes, described) : bytes;
    return [header(`leapfrog/${path}`, contents.length), contents, Buffer.alloc(-contents.length & 511)];
  });
  const archive = gzipSync(Buffer.concat([...entries, Buffer.alloc(1024)]), { level: 9 });
  writeFileSync(join(folder, `leapfrog_${version}.tar.gz`), archive);
}

/** The files below a folder: their paths in it, and where they are. */
function filesIn(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
    .map((entry) => join(entry.parentPath, entry.name))
    .map((file) => [file.slice(folder.length + 1), file]);
}

/** As `R CMD build` writes it, but with one date, and with the version, the author and the addresses of package.json as far as it has them. */
function description(bytes, { author, bugs, homepage, version }) {
  const fields = bytes
    .toString()
    .replace(/^Version: .*$/m, `Version: ${version}`)
    .replace(/^Author: .*$/m, `Author: ${author.replace(/ <.*/, '')}`)
    .replace(/^Maintainer: .*$/m, (placeholder) => (author.includes('<') ? `Maintainer: ${author}` : placeholder));
  const addresses = Object.entries({ URL: homepage, BugReports: bugs })
    .filter(([, address]) => address !== undefined)
    .map(([field, address]) => `${field}: ${address}\n`);
  return Buffer.from(`${fields}${addresses.join('')}Packaged: 1980-01-01 00:00:00 UTC; leapfrog\n`);
}

/** The header of a file in a tar archive (POSIX ustar), without owner and of one date. */
function header(name, size) {
  const block = Buffer.alloc(512);
  const octal = (value, length) => `${value.toString(8).padStart(length - 1, '0')}\0`;
  block.write(name, 0, 100);
  block.write(octal(0o644, 8), 100);
  block.write(octal(0, 8), 108);
  block.write(octal(0, 8), 116);
  block.write(octal(size, 12), 124);
  block.write(octal(Date.UTC(1980, 0, 1) / 1000, 12), 136);
  block.write(' '.repeat(8), 148);
  block.write('0', 156);
  block.write('ustar\x0000', 257);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${octal(sum, 7)} `, 148);
  return block;
}
