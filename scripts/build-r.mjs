/**
 * Puts the engine into the R package (r/inst/engine): the files that scripts/build-python.mjs has collected. With `--folder FOLDER`, instead packs
 * the package's source with the engine there, with the version of package.json, and with a vignette where R, rmarkdown and pandoc are installed. The
 * same files and tools give the same bytes.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';

const root = fileURLToPath(new URL('..', import.meta.url));
const source = join(root, 'r');
const INSTALLED = 'inst/engine';
const engine = join(root, 'python', 'src', 'leapfrog', '_engine');
/** Files of the vignette in a package, besides its source: what R CMD build makes of it. */
const BUILT = ['inst/doc/brms.R', 'inst/doc/brms.Rmd', 'inst/doc/brms.html', 'build/vignette.rds'];
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
  const written = [...own, ...added].map(([path, file]) => [path, readFileSync(file)]);
  const vignette = buildsVignettes() ? builtVignette() : [];
  if (vignette.length === 0) console.log('R, a package that ours needs, rmarkdown or pandoc is missing: no vignette');
  const files = [...written, ...vignette].sort(([a], [b]) => (a < b ? -1 : 1));
  const entries = files.flatMap(([path, bytes]) => {
    const contents = path === 'DESCRIPTION' ? description(bytes, described, vignette.length > 0) : bytes;
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

function buildsVignettes() {
  const needed = ['digest', 'jsonlite', 'knitr', 'posterior', 'processx', 'R6', 'rmarkdown'];
  const check = `for (each in strsplit("${needed}", ",")[[1]]) loadNamespace(each); stopifnot(rmarkdown::pandoc_available())`;
  return spawnSync('Rscript', ['-e', check], { stdio: 'ignore' }).status === 0;
}

/** The vignette, and what R CMD build makes of it. */
function builtVignette() {
  const folder = mkdtempSync(join(tmpdir(), 'leapfrog-vignette-'));
  try {
    const copied = join(folder, 'leapfrog');
    cpSync(source, copied, { recursive: true, filter: (path) => path !== join(source, INSTALLED) });
    mkdirSync(join(copied, 'vignettes'));
    const text = Buffer.from(vignetteText());
    writeFileSync(join(copied, 'vignettes/brms.Rmd'), text);
    writeFileSync(join(copied, 'DESCRIPTION'), 'VignetteBuilder: knitr\n', { flag: 'a' });
    execFileSync('R', ['CMD', 'build', 'leapfrog'], { cwd: folder, stdio: 'pipe' });
    const [archive] = readdirSync(folder).filter((name) => name.endsWith('.tar.gz'));
    execFileSync('tar', ['-xzf', archive, ...BUILT.map((path) => `leapfrog/${path}`)], { cwd: folder });
    return [['vignettes/brms.Rmd', text], ...BUILT.map((path) => [path, readFileSync(join(copied, path))])];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The section on brms of docs/r.md. Its code does not run when the vignette is built. */
function vignetteText() {
  const text = readFileSync(join(root, 'docs/r.md'), 'utf8');
  const [, section] = /^## brms\n([\s\S]*?)^## /m.exec(text);
  const head = [
    '---',
    'title: "Models of brms"',
    'output: rmarkdown::html_vignette',
    'vignette: >',
    '  %\\VignetteIndexEntry{Models of brms}',
    '  %\\VignetteEngine{knitr::rmarkdown}',
    '  %\\VignetteEncoding{UTF-8}',
    '---',
    '',
    '```{r, include = FALSE}',
    'knitr::opts_chunk$set(eval = FALSE)',
    '```',
    '',
  ];
  return `${head.join('\n')}${section.replaceAll('```r\n', '```{r}\n').replace(/\[([^\]]+)\]\([^)]+\)/g, '$1')}`;
}

/** As `R CMD build` writes it, but with one date, and with the version, the author and the addresses of package.json as far as it has them. */
function description(bytes, { author, bugs, homepage, version }, hasVignette) {
  const fields = bytes
    .toString()
    .replace(/^Version: .*$/m, `Version: ${version}`)
    .replace(/^Author: .*$/m, `Author: ${author.replace(/ <.*/, '')}`)
    .replace(/^Maintainer: .*$/m, (placeholder) => (author.includes('<') ? `Maintainer: ${author}` : placeholder));
  const addresses = Object.entries({ URL: homepage, BugReports: bugs })
    .filter(([, address]) => address !== undefined)
    .map(([field, address]) => `${field}: ${address}\n`);
  const builder = hasVignette ? 'VignetteBuilder: knitr\n' : '';
  return Buffer.from(`${fields}${addresses.join('')}${builder}Packaged: 1980-01-01 00:00:00 UTC; leapfrog\n`);
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
