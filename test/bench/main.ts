import { writeFileSync } from 'node:fs';
import { Command } from 'commander';
import { modelsFolder } from '../reference/stan.js';
import { benchAnalyze } from './analyzing.js';
import { benchCluster } from './cluster.js';
import { benchCompile } from './compiling.js';
import { benchCoordinates } from './coordinates.js';
import { benchDensities } from './densities.js';
import { benchDownloads } from './downloads.js';
import { benchEfficiency } from './efficiency/efficiency.js';
import { OTHERS, OWN_SAMPLERS, samplerOf } from './efficiency/samplers.js';
import { benchFirstDraw } from './first-draw.js';
import { benchFits } from './fits.js';
import { benchGradients } from './gradients.js';
import { benchHessians } from './hessians.js';
import { benchHttp } from './http.js';
import { benchInitialValues } from './initial-values.js';
import { benchInstalls } from './installs/installs.js';
import { benchLinearAlgebra } from './linear-algebra.js';
import { benchManyFits } from './many-fits.js';
import { benchMetrics } from './metrics.js';
import { benchPage } from './page.js';
import { benchPeers } from './peers/peers.js';
import { plotOf } from './rows/plot.js';
import { benchRows } from './rows/rows.js';
import { benchSampling } from './sampling.js';
import { benchSolvers } from './solvers.js';
import { benchTyping } from './typing.js';

/** Timings as ratios to real Stan, measured in the same run if it is set up. */
const MODELS = modelsFolder();
/** Programs that tuples, complex numbers, recursion or callbacks dominate. */
const PROGRAMS = 'test/bench/programs';

interface Options {
  readonly only: string;
  readonly json?: string;
  readonly seconds: string;
}

interface EfficiencyCommandOptions {
  readonly only: string;
  readonly samplers: readonly string[];
  readonly seeds: readonly string[];
  readonly compilation: boolean;
  readonly limit: string;
  readonly run: boolean;
  readonly untouched?: true;
  readonly json?: string;
  readonly page?: readonly [file: string, label: string];
  readonly plot?: string;
  readonly plotSeconds?: true;
}

const program = new Command('bench').description('Times Leapfrog against real Stan.');

function command(
  name: string,
  description: string,
  run: (folder: string, only: RegExp, seconds: number) => unknown,
): void {
  program
    .command(`${name} [folder]`)
    .description(description)
    .option('--only <regex>', 'run only the models whose name matches', '')
    .option('--seconds <number>', 'time of one measurement', '0.3')
    .option('--json <file>', 'write the rows to a file')
    .action(async (folder: string | undefined, options: Options) => {
      const rows = await run(folder ?? MODELS, new RegExp(options.only), Number(options.seconds));
      if (Array.isArray(rows) && rows.length === 0) {
        const among = options.only === '' ? 'the folder is empty' : `no name matches --only ${options.only}`;
        program.error(`bench ${name}: nothing was measured; ${among}, or all were left out`);
      }
      if (options.json !== undefined) writeFileSync(options.json, JSON.stringify(rows, null, 1));
    });
}

type Bench<Row> = (folder: string, only: RegExp, seconds: number) => readonly Row[];

/** Runs over the reference models and our own programs in sequence. */
function withPrograms<Row>(bench: Bench<Row>): Bench<Row> {
  return (folder, only, seconds) =>
    (folder === MODELS ? [MODELS, PROGRAMS] : [folder]).flatMap((each) => bench(each, only, seconds));
}

command('gradients', 'time per gradient', withPrograms(benchGradients));
command('hessians', 'time of a Hessian against two gradients a parameter, and of compiling it', benchHessians);
command('solvers', 'time per gradient of what takes functions, and its cost against sizes', benchSolvers);
command('densities', 'time per gradient of every density at N = 1,000', benchDensities);
command('linear-algebra', 'time per gradient of products, solves and decompositions', benchLinearAlgebra);
command('compile', 'time to compile in a warm process', withPrograms(benchCompile));
command('analyze', 'time to check, describe and format in a warm process', benchAnalyze);
command(
  'coordinates',
  'gradients per effective draw and divergences by whether coordinates are learned',
  benchCoordinates,
);
command('metrics', 'gradients per effective draw by what the metric is learned from', benchMetrics);
command('initial-values', 'warmup that starting at draws of Pathfinder saves', benchInitialValues);
command('sampling', 'time of a leapfrog step outside the gradient', benchSampling);
command('fits', 'time from program to posterior over HTTP', benchFits);
command('http', 'requests per second of log_prob_grad, and the latency of health under this load', benchHttp);
command('many-fits', 'time to start on a store of 10,000 fits, to list and to delete them', benchManyFits);
command('cluster', 'chains per minute of workers that share NATS, and what sharing costs', benchCluster);
command('downloads', 'time and memory to read a fit of a gigabyte in each format', benchDownloads);
command('page', 'how fluid the page is with large runs, and its memory', benchPage);
command('first-draw', 'from the press of Run to the first draw in the page', benchFirstDraw);
command('typing', 'how long keys wait in the editor of the page', benchTyping);

program
  .command('installs [folder]')
  .description('size and time of installations of a release and of other engines, and their time to the first draw')
  .option('--only <regex>', 'run only the engines whose name matches', '')
  .option('--python <path>', 'the Python for virtual environments', 'python3')
  .option('--json <file>', 'write the rows to a file')
  .action((folder = 'dist/release', options: Pick<Options, 'json' | 'only'> & { readonly python: string }) => {
    const rows = benchInstalls(folder, new RegExp(options.only), options.python);
    if (options.json !== undefined) writeFileSync(options.json, JSON.stringify(rows, null, 1));
  });

program
  .command('rows')
  .description('cost of gradients, binding and memory from 100 to 1,000,000 rows')
  .option('--only <regex>', 'run only the models whose name matches', '')
  .option('--seconds <number>', 'time of one measurement', '0.3')
  .option('--json <file>', 'write the rows to a file')
  .option('--plot <file>', 'write a plot as SVG to a file')
  .action((options: Options & { readonly plot?: string }) => {
    const rows = benchRows(new RegExp(options.only), Number(options.seconds));
    if (rows.length === 0) program.error('bench rows: nothing was measured');
    if (options.json !== undefined) writeFileSync(options.json, JSON.stringify(rows, null, 1));
    if (options.plot !== undefined) writeFileSync(options.plot, plotOf(rows));
  });

program
  .command('peers <folder>')
  .description(
    'time per gradient of the models of a checkout of posteriordb, or of a folder, against stanli and real Stan',
  )
  .option('--only <regex>', 'run only the models whose name matches', '')
  .option('--seconds <number>', 'time of one measurement', '0.3')
  .option('--json <file>', 'write the rows to a file')
  .option('--no-stan', 'leave real Stan out: building all models with it takes most of an hour')
  .action((folder: string, options: Options & { readonly stan: boolean }) => {
    const rows = benchPeers(folder, new RegExp(options.only), Number(options.seconds), options.stan);
    if (rows.length === 0) program.error('bench peers: nothing was measured');
    if (options.json !== undefined) writeFileSync(options.json, JSON.stringify(rows, null, 1));
  });

program
  .command('efficiency <folder>')
  .description('gradients and seconds to 400 effective draws by sampler, of a checkout of posteriordb or of a folder')
  .option('--only <regex>', 'run only the models whose name matches', '')
  .option(
    '--samplers <names...>',
    `columns of the table, also of ${Object.keys(OTHERS).join(', ')}, where installed; NAME@LENGTH sets the length of warmup`,
    [...OWN_SAMPLERS],
  )
  .option('--untouched', 'run the list of test/bench/untouched; the folder contains clones of its repositories')
  .option('--seeds <numbers...>', 'seeds; the table has geometric means over them', ['1'])
  .option('--json <file>', 'write the runs to a file; those that it has are not repeated')
  .option('--no-run', 'only show the runs of the file')
  .option('--limit <seconds>', 'processor seconds that four chains of another engine may take', '600')
  .option('--page <file-and-label...>', 'update the sections of a page that it marks with the label')
  .option('--plot <file>', 'write a plot of the gradients as SVG to a file')
  .option('--plot-seconds', 'plot processor seconds without compilation instead of gradients')
  .option(
    '--no-compilation',
    'do not measure the compilation of real Stan: programs that have been built are not built again',
  )
  .action((folder: string, given: EfficiencyCommandOptions) => {
    const { json, page, plot } = given;
    const others = { measuresCompilation: given.compilation, limit: Number(given.limit) };
    const samplers = given.samplers.map(
      (name) => samplerOf(name, others) ?? program.error(`bench efficiency: no sampler ${name}`),
    );
    const options = {
      only: new RegExp(given.only),
      samplers,
      seeds: given.seeds.map(Number),
      onlyShows: !given.run,
      isUntouched: given.untouched ?? false,
      ...(json && { json }),
      ...(plot && { plot: { file: plot, of: given.plotSeconds ? ('seconds' as const) : ('gradients' as const) } }),
      ...(page && { page: { file: page[0], label: page[1] } }),
    };
    if (benchEfficiency(folder, options).length === 0) program.error('bench efficiency: nothing was measured');
  });

await program.parseAsync();
