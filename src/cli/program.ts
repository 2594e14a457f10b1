import { Option } from 'commander';

/** The option that says where `#include` looks, beside the program's own folder. */
export function includePathOption(): Option {
  return new Option(
    '--include-path <folder>',
    "folder to search for #include, before the program's own; may be repeated",
  )
    .default([], 'none')
    .argParser((folder, earlier: readonly string[]) => [...earlier, folder]);
}
