/** The licenses and notices of packages in a bundle, most of which must accompany the code. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/** The folder of this project, and that of AssemblyScript, whose library the kernels contain. */
export const OWN = '.';
export const OF_KERNELS = 'node_modules/assemblyscript';

/** The folder of the package that a file belongs to, relative to the project; undefined for the project's own files. */
export function packageFolder(file) {
  return /node_modules\/(?:.*\/node_modules\/)?(?:@[^/]+\/)?[^/]+/.exec(file)?.[0];
}

/** The name, version, license and notice of each of these folders' packages. */
export function licenses(folders) {
  const parts = [...new Set(folders)].sort().map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
    const texts = readdirSync(join(root, folder))
      .filter((file) => /^(?:licen[cs]e|copying|notice)(?:[.-]|$)/i.test(file))
      .sort()
      .map((file) => readFileSync(join(root, folder, file), 'utf8'));
    return `${name} ${version}\n\n${texts.length === 0 ? `License: ${license}\n` : texts.join('\n')}\n`;
  });
  return parts.join(`${'-'.repeat(80)}\n`);
}
