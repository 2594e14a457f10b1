import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { ROOT } from '../../project/tree.js';
import { type CommandOptions, measured, megabytes, type Seconds, sumOf, toolchainMegabytes } from './measured.js';

/** Chains to draw, and their iterations. */
export interface Scale {
  readonly chains: number;
  readonly warmup: number;
  readonly draws: number;
}

/** An engine, installed in its own folder. */
export interface Peer {
  readonly title: string;
  readonly versions: string;
  /** Megabytes of the files that a registry sent. */
  readonly downloaded: number;
  /** Megabytes of the installed packages. */
  readonly installed: number;
  readonly installation: Seconds;
  /** Compiles a program and draws from its posterior in a new process. */
  run(program: string, data: string, scale: Scale): Seconds;
  /** Megabytes of the C++ toolchain, headers and libraries that compile programs; undefined if the system is not Debian. */
  toolchain(): number | undefined;
}

const SCRIPTS = join(ROOT, 'test/bench/installs');
const ORACLE = resolve('../shared/oracle/oracle');
/** Debian packages of the libraries that CmdStan contains. */
const LIBRARIES = ['libeigen3-dev', 'libtbb-dev', 'libsundials-dev', 'rapidjson-dev'];

const numbers = ({ chains, warmup, draws }: Scale): string[] => [chains, warmup, draws].map(String);

/** Caches of engines are below the home. */
function inFolder(folder: string): CommandOptions {
  const home = join(folder, 'home');
  mkdirSync(home, { recursive: true });
  return { folder, variables: { HOME: home, XDG_CACHE_HOME: join(home, '.cache') } };
}

interface PythonPeer {
  readonly title: string;
  /** A function of `first_draw.py`. */
  readonly session: string;
  /** The package, or the path of a wheel. */
  readonly requirement: string;
  /** Packages whose versions are printed. */
  readonly shown: readonly string[];
}

/** A package of PyPI or a wheel in a new virtual environment. The download is not part of the time. */
export function pythonPeer(python: string, folder: string, peer: PythonPeer): Peer {
  const { requirement, session, shown, title } = peer;
  const options = inFolder(folder);
  const environment = join(folder, 'venv');
  const wheels = join(folder, 'wheels');
  execFileSync(python, ['-m', 'venv', environment]);
  const own = join(environment, 'bin/python');
  execFileSync(own, ['-m', 'pip', 'download', '--quiet', '--dest', wheels, requirement]);
  const before = megabytes(environment);
  const flags = ['--quiet', '--no-cache-dir', '--no-index', '--find-links', wheels];
  const installation = measured([own, '-m', 'pip', 'install', ...flags, requirement], options);
  const listed: readonly { readonly name: string; readonly version: string }[] = JSON.parse(
    execFileSync(own, ['-m', 'pip', 'list', '--format', 'json'], { encoding: 'utf8' }),
  );
  return {
    title,
    versions: shown.map((name) => `${name} ${listed.find((each) => each.name === name)?.version}`).join(', '),
    downloaded: megabytes(wheels),
    installed: megabytes(environment) - before,
    installation,
    run: (program, data, scale) =>
      measured([own, join(SCRIPTS, 'first_draw.py'), session, program, data, ...numbers(scale)], options),
    toolchain: () => (session === 'pystan' ? toolchainMegabytes() : 0),
  };
}

/**
 * CmdStanPy. No package registry has CmdStan: in its place, a program is compiled and sampled with real Stan's compiler, headers and samplers of
 * `../shared/oracle`, on one core. Undefined if that is not set up.
 */
export function cmdStanPyPeer(python: string, folder: string): Peer | undefined {
  const stan = process.env.ORACLE_HOME ?? join(homedir(), '.cache/stan-oracle-239');
  if (!existsSync(ORACLE) || !existsSync(join(stan, 'stanc'))) return undefined;
  const title = 'CmdStanPy, CmdStan';
  const package_ = pythonPeer(python, folder, {
    title,
    session: 'cmdstanpy',
    requirement: 'cmdstanpy',
    shown: ['cmdstanpy'],
  });
  const home = join(folder, 'stan');
  mkdirSync(home);
  for (const part of ['pkg', 'stanc']) symlinkSync(join(stan, part), join(home, part));
  const options = { folder, variables: { ORACLE_HOME: home, ORACLE_OPT: '-O3' } };
  return {
    ...package_,
    versions: `${package_.versions}, Stan 2.39`,
    run: (program, data, scale) => {
      const { chains, draws, warmup } = scale;
      const built = measured([ORACLE, 'build', program], options);
      const sampled = Array.from({ length: chains }, (_, k) => {
        const settings = ['--algo', 'diag', '--seed', '1', '--chain', String(k + 1), '--out', join(folder, `${k}.csv`)];
        const iterations = ['--num_warmup', String(warmup), '--num_samples', String(draws)];
        return measured([ORACLE, 'run', program, 'sample', '--data', data, ...settings, ...iterations], options);
      });
      return sumOf([package_.run(program, data, scale), built, ...sampled]);
    },
    toolchain: () => {
      const own = megabytes(join(home, 'pkg')) + megabytes(join(home, 'stanc'));
      const debian = toolchainMegabytes(LIBRARIES);
      return debian && debian + own;
    },
  };
}

/** A file of a package for npm, in an empty folder. `command` compiles and draws there. */
export function npmPeer(
  name: string,
  file: string,
  folder: string,
  command: (program: string, data: string, scale: Scale) => readonly string[],
): Peer {
  const options = inFolder(folder);
  const cache = join(folder, 'cache');
  const installation = measured(
    ['npm', 'install', '--silent', '--no-audit', '--no-fund', '--cache', cache, file],
    options,
  );
  const installed: { readonly version: string } = JSON.parse(
    readFileSync(join(folder, 'node_modules', name, 'package.json'), 'utf8'),
  );
  return {
    title: `\`${name}\` of npm`,
    versions: `${name} ${installed.version}`,
    downloaded: megabytes(join(cache, '_cacache/content-v2')),
    installed: megabytes(join(folder, 'node_modules')),
    installation,
    run: (program, data, scale) => measured(command(program, data, scale), options),
    toolchain: () => 0,
  };
}

/** The command line in the folder of an installation. */
export function commandLine(program: string, data: string, { chains, draws, warmup }: Scale): readonly string[] {
  const counts = ['--chains', String(chains), '--num-warmup', String(warmup), '--num-samples', String(draws)];
  return [
    'node_modules/.bin/leapfrog',
    'sample',
    program,
    '--data',
    data,
    ...counts,
    '--seed',
    '1',
    '--output',
    'draws.csv',
  ];
}

/** A script that uses the library in the folder of an installation. */
export function libraryScript(program: string, data: string, scale: Scale): readonly string[] {
  return [process.execPath, join(SCRIPTS, 'first-draw.mjs'), program, data, ...numbers(scale)];
}
