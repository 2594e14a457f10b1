import { Option } from 'commander';

/** The option for folders of `#include`, in addition to the program's own folder. */
export function includePathOption(): Option {
  return new Option(
    '--include-path <folder>',
    "folder to search for #include, before the program's own; may be repeated",
  )
    .default([], 'none')
    .argParser((folder, earlier: readonly string[]) => [...earlier, folder]);
}
