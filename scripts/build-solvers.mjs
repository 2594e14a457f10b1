// Writes the Stan functions of src/solvers into a module of the program: src/solvers/sources.generated.ts.
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = join(dirname(fileURLToPath(import.meta.url)), '..', 'src', 'solvers');
const files = (await readdir(folder)).filter((file) => file.endsWith('.stanfunctions')).sort();
const entries = await Promise.all(
  files.map(async (file) => {
    const text = await readFile(join(folder, file), 'utf8');
    return `  ${JSON.stringify(basename(file, '.stanfunctions'))}: ${JSON.stringify(text)},\n`;
  }),
);
const source = `/** The Stan functions in the files of this folder, by their names. */\nexport const SOURCES = {\n${entries.join('')}} as const;\n`;
await writeFile(join(folder, 'sources.generated.ts'), source);
