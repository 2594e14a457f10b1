/**
 * Checks the files of a release: each package is installed in an empty folder without any other file of the checkout, and fits eight schools. Prints the
 * transcript of each session, and fails if a command fails or the posterior mean of `mu` is wrong. Packages that ours depend on come from their registries.
 *
 *     node scripts/check-release.mjs [--folder FOLDER] [--python PATH…] [--node VERSION…] [--only TEXT…]
 *
 * By default, the Pythons are python3.10 to python3.13, as far as they are on the path or in pyenv's folder, otherwise python3; Node.js is the
 * earliest supported version and the two latest with long-term support, as packages of npm. A version can also be a folder with `node` and `npm`.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const root = fileURLToPath(new URL('..', import.meta.url));
const { values } = parseArgs({
  options: {
    folder: { type: 'string', default: join(root, 'dist/release') },
    python: { type: 'string', multiple: true },
    node: { type: 'string', multiple: true, default: ['20.15.0', '22', '24'] },
    only: { type: 'string', multiple: true, default: [''] },
  },
});
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const scratch = mkdtempSync(join(tmpdir(), 'leapfrog-release-check-'));
/** Of `mu`, from the reference draws of posteriordb; the tolerance is about six standard errors of 4000 draws. */
const MEAN = 4.4;
const TOLERANCE = 0.5;

const FILES = {
  'schools.stan': `data { int<lower=0> J; vector[J] y; vector<lower=0>[J] sigma; }
parameters { real mu; real<lower=0> tau; vector[J] eta; }
transformed parameters { vector[J] theta = mu + tau * eta; }
model { mu ~ normal(0, 5); tau ~ cauchy(0, 5); eta ~ std_normal(); y ~ normal(theta, sigma); }
`,
  'schools.json': '{"J": 8, "y": [28, 8, -3, 7, -1, 1, 18, 12], "sigma": [15, 10, 16, 11, 9, 11, 10, 18]}\n',
};
const PYTHON = `import leapfrog

model = leapfrog.compile("schools.stan")
fit = model.sample("schools.json", seed=1, adapt_delta=0.95)
print(fit.summary(["mu", "tau"]))
`;
const R = `library(leapfrog)
model <- leapfrog_model("schools.stan")
fit <- model$sample("schools.json", seed = 1, adapt_delta = 0.95)
print(as.data.frame(fit$summary(c("mu", "tau"))), row.names = FALSE)
`;
const LIBRARY = `import { readFileSync } from 'node:fs';
import { compile } from 'leapfrog-stan';

const model = await compile(readFileSync('schools.stan', 'utf8'));
const data = JSON.parse(readFileSync('schools.json', 'utf8'));
const fit = await model.sample({ data, num_chains: 4, random_seed: 1, delta: 0.95 }).result();
for (const { name, mean, sd } of await fit.summary({ variables: ['mu', 'tau'] })) console.log(name, mean, sd);
`;
const CMDSTANPY = `import cmdstanpy

cmdstanpy.set_cmdstan_path("cmdstan")
model = cmdstanpy.CmdStanModel(stan_file="schools.stan")
fit = model.sample(data="schools.json", seed=1, adapt_delta=0.95, show_progress=False)
print(fit.summary().loc[["mu", "tau"]].to_string())
`;
const PORT = String(20_000 + (process.pid % 10_000));
const HTTP = [
  'node_modules/.bin/leapfrog serve --port $PORT --store store > server.log 2>&1 & SERVER=$!',
  'until curl -sf $BASE/health > health.json; do kill -0 $SERVER; sleep 0.1; done',
  `node -p 'JSON.stringify({ program_code: fs.readFileSync("schools.stan", "utf8") })' > model.json`,
  `node -p 'JSON.stringify({ function: "stan::services::sample::hmc_nuts_diag_e_adapt", num_chains: 4, random_seed: 1, delta: 0.95, data: JSON.parse(fs.readFileSync("schools.json", "utf8")) })' > fit.json`,
  `MODEL=$(curl -s $BASE/models -H "$JSON" -d @model.json | grep -o 'models/[a-z2-7]*')`,
  `OPERATION=$(curl -s $BASE/$MODEL/fits -H "$JSON" -d @fit.json | grep -o 'operations/[a-z2-7]*')`,
  `until curl -s $BASE/$OPERATION | grep -q '"done":true'; do sleep 0.1; done`,
  `FIT=$(curl -s $BASE/$OPERATION | grep -o 'models/[a-z2-7]*/fits/[a-z2-7]*' | head -1)`,
  `curl -s "$BASE/$FIT/summary" | node -p 'for (const { name, mean, sd } of JSON.parse(fs.readFileSync(0)).variables) if (/^(mu|tau)$/.test(name)) console.log(name, mean, sd); ""'`,
  'kill $SERVER && wait',
];

const [npm, library, wheel, r, extension] = [
  `leapfrog-${version}.tgz`,
  `leapfrog-stan-${version}.tgz`,
  `leapfrog_stan-${version}-py3-none-any.whl`,
  `leapfrog_${version}.tar.gz`,
  'leapfrog-stan.vsix',
];
const sampling = '--data schools.json --chains 4 --seed 1 --delta 0.95';
const commandLine = [
  `npm install --silent ${npm}`,
  `npx leapfrog sample schools.stan ${sampling} | tail -n 2`,
  'npx leapfrog summary schools-sample_*.csv',
];
const cmdStan = [`npm install --silent ${npm}`, 'npx leapfrog cmdstan cmdstan'];

/** A door, with the file of the release that it needs, more files, and the commands of a new user. */
const doors = [
  ...pythons().map(({ path, title }) => ({
    title,
    file: wheel,
    files: { 'schools.py': PYTHON },
    commands: [`${path} -m venv .`, `bin/pip install --quiet ./${wheel}`, 'bin/python schools.py'],
  })),
  {
    title: 'R',
    needs: 'Rscript',
    file: r,
    files: { 'schools.R': R },
    commands: ['mkdir library', `R CMD INSTALL --library=library ${r}`, 'R_LIBS=library Rscript schools.R'],
  },
  ...values.node.flatMap((node) => [
    {
      title: `the npm package leapfrog-stan in Node.js ${node}`,
      node,
      file: library,
      files: { 'schools.mjs': LIBRARY },
      commands: ['node --version', `npm install --silent ${library}`, 'node schools.mjs'],
    },
    { title: `the command line in Node.js ${node}`, node, file: npm, commands: ['node --version', ...commandLine] },
    {
      title: `HTTP in Node.js ${node}`,
      node,
      needs: 'curl',
      file: npm,
      variables: { PORT, BASE: `http://127.0.0.1:${PORT}/v1`, JSON: 'Content-Type: application/json' },
      commands: [`npm install --silent ${npm}`, ...HTTP],
    },
  ]),
  {
    title: 'the CmdStan folder with make',
    needs: 'make',
    file: npm,
    commands: [
      ...cmdStan,
      'make --silent -C cmdstan "$PWD/schools"',
      './schools sample num_chains=4 adapt delta=0.95 data file=schools.json random seed=1 output file=draws.csv > log.txt',
      'cmdstan/bin/stansummary draws_*.csv',
    ],
  },
  {
    title: 'the CmdStan folder with CmdStanPy',
    file: npm,
    files: { 'schools.py': CMDSTANPY },
    commands: [
      ...cmdStan,
      'python3 -m venv .',
      'bin/pip install --quiet cmdstanpy',
      'bin/python schools.py 2> log.txt',
    ],
  },
  {
    title: 'the engine of the extension for VS Code',
    needs: 'unzip',
    file: extension,
    commands: [
      `unzip -q ${extension}`,
      `node extension/engine/build/bundle/main.cjs sample schools.stan ${sampling} | tail -n 2`,
      'node extension/engine/build/bundle/main.cjs summary schools-sample_*.csv',
    ],
  },
];

try {
  checkSums();
  const results = doors.filter(({ title }) => values.only.some((text) => title.includes(text))).map(check);
  console.log('| door | result | seconds | processor seconds |\n| --- | --- | ---: | ---: |');
  for (const { processor, result, seconds, title } of results) {
    console.log(`| ${title} | ${result} | ${seconds.toFixed(1)} | ${processor.toFixed(1)} |`);
  }
  if (results.some(({ result }) => result.startsWith('failed'))) process.exitCode = 1;
} finally {
  remove(scratch);
}

/** Pythons that exist, with their versions. */
function pythons() {
  const ofPyenv = join(process.env.PYENV_ROOT ?? join(homedir(), '.pyenv'), 'versions');
  const kept = existsSync(ofPyenv) ? readdirSync(ofPyenv).map((name) => join(ofPyenv, name, 'bin/python3')) : [];
  const candidates = values.python ?? [...[10, 11, 12, 13].map((minor) => `python3.${minor}`), ...kept, 'python3'];
  const found = new Map();
  for (const path of candidates) {
    const { status, stdout } = spawnSync(path, ['--version'], { encoding: 'utf8' });
    const [, title, minor] = /^(Python 3\.(\d+))/.exec(stdout ?? '') ?? [];
    if (status === 0 && (values.python || Number(minor) >= 10) && !found.has(title)) found.set(title, { path, title });
  }
  return [...found.values()].sort((a, b) => a.title.localeCompare(b.title, 'en', { numeric: true }));
}

function checkSums() {
  const lines = readFileSync(join(values.folder, 'SHA256SUMS'), 'utf8').trim().split('\n');
  for (const line of lines) {
    const [sum, file] = line.split('  ');
    const found = createHash('sha256')
      .update(readFileSync(join(values.folder, file)))
      .digest('hex');
    if (found !== sum) throw new Error(`${file} has another checksum than SHA256SUMS`);
  }
  console.log(`${lines.length} files have the checksums of SHA256SUMS`);
}

/** Runs the commands of a door in an empty folder, and prints them with their output. */
function check({ commands, file, files = {}, needs, node, title, variables = {} }) {
  console.log(`\n## ${title}\n`);
  if (needs !== undefined && spawnSync('sh', ['-c', `command -v ${needs}`]).status !== 0) {
    console.log(`skipped: ${needs} is not installed`);
    return { title, result: `skipped: no ${needs}`, seconds: 0, processor: 0 };
  }
  const folder = mkdtempSync(join(scratch, 'door-'));
  mkdirSync(join(folder, '.home'));
  copyFileSync(join(values.folder, file), join(folder, file));
  for (const [name, text] of Object.entries({ ...FILES, ...files })) writeFileSync(join(folder, name), text);
  const path = node === undefined ? process.env.PATH : `${nodeFolder(node)}${delimiter}${process.env.PATH}`;
  const script = commands.map((each) => `cat <<'END_OF_COMMAND'\n$ ${each}\nEND_OF_COMMAND\n${each}\n`).join('');
  const start = performance.now();
  // The shell prints the processor time of its processes.
  const timed = `TIMEFORMAT='%U %S'; time bash -c "$0"`;
  const { status, stderr, stdout } = spawnSync('bash', ['-c', timed, `set -eo pipefail; exec 2>&1\n${script}`], {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, ...variables, HOME: join(folder, '.home'), PATH: path },
    timeout: 600_000,
  });
  const seconds = (performance.now() - start) / 1000;
  const processor = stderr
    .trim()
    .split(/\s+/)
    .reduce((sum, each) => sum + Number(each), 0);
  console.log(stdout);
  const mean = Number(/^\s*mu\s+(-?[\d.]+)/m.exec(stdout)?.[1]);
  remove(folder);
  if (status !== 0) return { title, result: `failed: status ${status}`, seconds, processor };
  const isRight = Math.abs(mean - MEAN) < TOLERANCE;
  return { title, result: `${isRight ? 'passed' : 'failed'}: the mean of mu is ${mean}`, seconds, processor };
}

/** Processes of npm may still write to a folder. */
function remove(folder) {
  rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
}

/** The folder with the executable of a version of Node.js. */
function nodeFolder(version) {
  if (existsSync(version)) return version;
  const folder = join(scratch, `node-${version}`);
  const name = `node-${process.platform}-${process.arch}`;
  if (!existsSync(folder)) {
    mkdirSync(folder);
    execFileSync('npm', ['install', '--silent', '--no-audit', '--no-fund', '--prefix', folder, `${name}@${version}`]);
  }
  return join(folder, 'node_modules', name, 'bin');
}
