/**
 * Reports phrases of `rules.yml` in Markdown, in comments and texts of TypeScript, Python and R, and in comments of other files.
 *
 *     node scripts/prose/lint.mjs [PATH…]
 *
 * PATHs are files and folders; without any, those of `scope.json`. Exits with 1 if a phrase was found.
 */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { extname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import jsTokens from 'js-tokens';
import prh from 'prh';

const here = fileURLToPath(new URL('.', import.meta.url));
const root = join(here, '..', '..');

/** Replaces everything but line breaks with spaces, so that offsets in what remains stay right. */
const blank = (text) => text.replace(/[^\n]/g, ' ');

/** Markdown without code and link targets. */
function markdownProse(text) {
  return text
    .replace(/^( *)```[\s\S]*?^\1```/gm, blank)
    .replace(/`[^`\n]*`/g, blank)
    .replace(/\]\([^)\n]*\)/g, blank);
}

/** Code in comments and messages: between backquotes, and tags of docstrings. */
const withoutCode = (text) => text.replace(/`[^`\n]*`/g, blank);

/** Comments without their markers, and texts with at least two words. Texts with line breaks are mostly Stan programs. */
function typeScriptProse(text, jsx) {
  let prose = '';
  for (const token of jsTokens(text, { jsx })) {
    const { type, value } = token;
    if (type === 'MultiLineComment') prose += withoutCode(value.replace(/^\s*\*+/gm, blank));
    else if (type === 'SingleLineComment') prose += value.replace(/^\/\//, blank).replace(/^ *biome-ignore.*/, blank);
    else if (type === 'JSXText' || type === 'JSXString') prose += value;
    else if (/String|Template/.test(type) && /\S\s+\S/.test(value) && !value.includes('\n')) prose += value;
    else prose += blank(value);
  }
  // A comment of several lines reads as one text.
  return prose.replace(/^ *\/\//gm, blank);
}

/** Comments that begin with `#`, and texts between double quotes. */
const scriptProse = (text) =>
  withoutCode(text.replace(/([^"#]*)("{3}[\s\S]*?"{3}|#.*|"[^"\n]*"|$)/g, (_, code, prose) => blank(code) + prose));

/** Comments that begin with `#`, in lines without code. */
const hashComments = (text) => withoutCode(text.replace(/^(?!\s*#).*$/gm, blank).replace(/^\s*#/gm, blank));

const readers = {
  '.md': markdownProse,
  '.py': scriptProse,
  '.R': scriptProse,
  '.yaml': hashComments,
  '.service': hashComments,
  '.conf': hashComments,
  '.env': hashComments,
  '.css': (text) => text.replace(/([\s\S]*?)(\/\*[\s\S]*?\*\/|$)/g, (_, code, prose) => blank(code) + prose),
  '.mjs': (text) => typeScriptProse(text, false),
  '.ts': (text) => typeScriptProse(text, false),
  '.tsx': (text) => typeScriptProse(text, true),
  // Comments of Stan functions.
  '.stanfunctions': (text) =>
    withoutCode(text.replace(/^(.*?)(\/\/|$)/gm, (_, code, marker) => blank(code) + blank(marker))),
};

/** Folders that are installed or built, such as `site/node_modules` after `npm run site`. */
const MADE = /(?:^|[\\/])(?:node_modules|dist)(?:[\\/]|$)/;

function filesOf(path) {
  if (statSync(path).isFile()) return [path];
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => !MADE.test(relative(path, entry.parentPath)))
    .filter((entry) => entry.isFile() && extname(entry.name) in readers && !entry.name.endsWith('.generated.ts'))
    .map((entry) => join(entry.parentPath, entry.name));
}

const { paths, except } = JSON.parse(readFileSync(join(here, 'scope.json'), 'utf8'));
const chosen = process.argv.length > 2 ? process.argv.slice(2) : paths.map((path) => join(root, path));
const rules = prh.fromYAMLFilePath(join(here, 'rules.yml'));

let found = 0;
for (const file of chosen.flatMap(filesOf).sort()) {
  const name = relative(root, file);
  if (except.some((path) => name.startsWith(path))) continue;
  const prose = readers[extname(file)](readFileSync(file, 'utf8'));
  for (const diff of rules.makeChangeSet(file, prose).diffs) {
    const before = prose.slice(0, diff.index).split('\n');
    const phrase = diff.matches[0].replace(/\s+/g, ' ');
    console.log(`${name}:${before.length}:${before.at(-1).length + 1}: "${phrase}": ${diff.expected}`);
    found++;
  }
}
if (found > 0) console.log(`${found} phrases to replace (scripts/prose/rules.yml)`);
process.exitCode = found > 0 ? 1 : 0;
