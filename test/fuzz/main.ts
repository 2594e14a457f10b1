import { Command } from 'commander';
import { campaign } from './campaign.js';
import { caseOf, type Family } from './cases.js';
import { corpus } from './corpus.js';
import { examine } from './examine.js';

/** Runs cases of the fuzzer manually: many seeds, or one whose program and ending are printed. */
const program = new Command('fuzz').description('Generated and mutated programs through the whole pipeline.');

program
  .command('run <first> <count>')
  .option('--processes <number>', 'how many at the same time', '1')
  .option('--solvers', 'programs around solvers')
  .action(async (first: string, count: string, { processes, solvers }: { processes: string; solvers?: true }) => {
    const { counts, findings } = await campaign({
      family: solvers ? 'solvers' : 'programs',
      first: Number(first),
      count: Number(count),
      processes: Number(processes),
      onFinding: console.log,
      onProgress: (done) => done % 100 === 0 && console.log(`${done} cases`),
    });
    console.log(counts);
    console.log(`${findings.length} findings`);
  });

program
  .command('show <seed>')
  .option('--solvers', 'a program around solvers')
  .action((seed: string, { solvers }: { solvers?: true }) => {
    const family: Family = solvers ? 'solvers' : 'programs';
    const { origin, text } = caseOf(Number(seed), family, corpus);
    console.log(`${origin}\n${text}`);
    console.log(examine(text, Number(seed), family));
  });

await program.parseAsync();
