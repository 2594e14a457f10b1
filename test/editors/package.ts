/** The packaged extension for Visual Studio Code, unpacked into a folder. */
import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { unzipSync } from 'fflate';

const BUILD = fileURLToPath(new URL('../../../scripts/build-vscode.mjs', import.meta.url));

export interface Unpacked {
  readonly folder: string;
  readonly archive: Buffer;
  /** Paths of the files in the archive. */
  readonly paths: readonly string[];
}

export async function unpackExtension(): Promise<Unpacked> {
  const folder = await mkdtemp(join(tmpdir(), 'leapfrog-vscode-'));
  execFileSync(process.execPath, [BUILD, '--folder', folder]);
  const archive = await readFile(join(folder, 'leapfrog-stan.vsix'));
  const files = unzipSync(archive);
  for (const [path, bytes] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), bytes);
  }
  return { folder, archive, paths: Object.keys(files) };
}
