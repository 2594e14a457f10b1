import { type Command, Option } from 'commander';
import { DEFAULT_INPUT_LIMIT, HIGHEST_INPUT_LIMIT, INPUT_LIMIT } from '../../node/input-files.js';
import { integer } from './values.js';

/** Adds `--max-input` to a command. Readers obtain the limit from the environment, which threads inherit. */
export function withInputLimit(command: Command): Command {
  const limit = new Option('--max-input <mebibytes>', 'maximum size of each input file or pipe')
    .default(DEFAULT_INPUT_LIMIT)
    .argParser(integer(1, HIGHEST_INPUT_LIMIT))
    .env(INPUT_LIMIT);
  return command.addOption(limit).hook('preAction', () => {
    process.env[INPUT_LIMIT] = String(command.opts<{ readonly maxInput: number }>().maxInput);
  });
}
