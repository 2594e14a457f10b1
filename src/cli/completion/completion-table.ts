import type { Command, Option } from 'commander';

/** What a shell completes: files, folders, some words, or nothing, as for a number. */
export type Expected = 'file' | 'folder' | 'nothing' | readonly string[];

export interface CompletedOption {
  /** `-V` and `--version`. */
  readonly flags: readonly string[];
  readonly description: string;
  /** Absent for an option without a value. */
  readonly value?: Expected;
}

export interface CompletedCommand {
  readonly names: readonly string[];
  readonly description: string;
  readonly options: readonly CompletedOption[];
  /** Arguments without a flag. */
  readonly argument: Expected;
}

/** The completions of commands, from their options and arguments. */
export function completedCommands(commands: readonly Command[]): readonly CompletedCommand[] {
  return commands.map((command) => {
    const [argument] = command.registeredArguments;
    return {
      names: [command.name(), ...command.aliases()],
      description: firstSentence(command.description()),
      options: command.createHelp().visibleOptions(command).map(completedOption),
      argument: argument === undefined ? 'nothing' : (argument.argChoices ?? expectedOf(argument.name())),
    };
  });
}

function completedOption(option: Option): CompletedOption {
  const flags = [option.short, option.long].filter((flag) => flag !== undefined && flag !== null);
  const description = firstSentence(option.description);
  const placeholder = /[<[]([\w ]+)/.exec(option.flags)?.[1];
  if (placeholder === undefined) return { flags, description };
  return { flags, description, value: option.argChoices ?? expectedOf(placeholder) };
}

/** By the placeholder in the help. A `value` is a number or a file. */
function expectedOf(placeholder: string): Expected {
  if (placeholder === 'boolean') return ['true', 'false'];
  if (placeholder === 'folder') return 'folder';
  return ['data', 'file', 'files', 'path', 'program', 'value'].includes(placeholder) ? 'file' : 'nothing';
}

function firstSentence(text: string): string {
  return text.split(/[.;:](?:\s|$)/, 1)[0].replaceAll(/\s+/g, ' ');
}
