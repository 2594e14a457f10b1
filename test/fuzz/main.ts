import { Command } from 'commander';
import { campaign } from './campaign.js';
import { caseOf } from './cases.js';
import { corpus } from './corpus.js';
import { examine } from './examine.js';

/** Runs cases of the fuzzer by hand: many seeds, or one whose program and ending are printed. */
const program = new Command('fuzz').description('Generated and mutated programs through the whole pipeline.');

program
  .command('run <first> <count>')
  .option('--processes <number>', 'how many at the same time', '1')
  .action(async (first: string, count: string, { processes }: { processes: string }) => {
    const { counts, findings } = await campaign({
      first: Number(first),
      count: Number(count),
      processes: Number(processes),
      onFinding: console.log,
      onProgress: (done) => done % 1000 === 0 && console.log(`${done} cases`),
    });
    console.log(counts);
    console.log(`${findings.length} findings`);
  });

program.command('show <seed>').action((seed: string) => {
  const { origin, text } = caseOf(Number(seed), corpus());
  console.log(`${origin}\n${text}`);
  console.log(examine(text, Number(seed)));
});

await program.parseAsync();
