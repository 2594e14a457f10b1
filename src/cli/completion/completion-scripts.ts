/** Completion scripts of shells, generated from the tables of the commands. */
import type { CompletedCommand, CompletedOption, Expected } from './completion-table.js';

type Script = (commands: readonly CompletedCommand[]) => string;

/** Scripts by shell. */
export const SCRIPTS: Readonly<Record<string, Script>> = { bash, zsh, fish, powershell };

const namesOf = (commands: readonly CompletedCommand[]) => commands.map(({ names: [name] }) => name);
const withValue = ({ options }: CompletedCommand) => options.filter(({ value }) => value !== undefined);

/** In single quotes of bash, zsh and fish. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** https://www.gnu.org/software/bash/manual/html_node/Programmable-Completion.html; bash 3.2 has no `mapfile`. */
function bash(commands: readonly CompletedCommand[]): string {
  const reply = (expected: Expected = 'nothing') => {
    if (expected === 'nothing') return 'COMPREPLY=()';
    const action = { file: '-f', folder: '-d' }[String(expected)] ?? `-W $'${[...expected].join('\\n')}'`;
    return `COMPREPLY=($(compgen ${action} -- "$current"))`;
  };
  const cases = commands.flatMap((command) => {
    const options = withValue(command).map(
      ({ flags, value }) => `        ${flags.join('|')}) ${reply(value)}; return ;;`,
    );
    const flags = command.options.flatMap((option) => option.flags.filter((flag) => flag.startsWith('--')));
    return [
      `    ${command.names.join('|')})`,
      ...(options.length > 0 ? ['      case $previous in', ...options, '      esac'] : []),
      `      if [[ $current == -* ]]; then ${reply(flags)}; else ${reply(command.argument)}; fi ;;`,
    ];
  });
  return [
    '_leapfrog() {',
    `  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD - 1]} IFS=$'\\n'`,
    '  # In --metric=dense_e, bash treats = as a word.',
    `  if [[ $previous == = ]]; then previous=\${COMP_WORDS[COMP_CWORD - 2]}; fi`,
    '  if [[ $current == = ]]; then current=; fi',
    `  if ((COMP_CWORD == 1)); then ${reply([...namesOf(commands), '--help', '--version'])}; return; fi`,
    `  case \${COMP_WORDS[1]} in`,
    ...cases,
    '  esac',
    '}',
    'complete -o filenames -F _leapfrog leapfrog',
  ].join('\n');
}

/** https://zsh.sourceforge.io/Doc/Release/Completion-System.html */
function zsh(commands: readonly CompletedCommand[]): string {
  const actionOf = (expected: Expected) => {
    if (expected === 'nothing') return ' ';
    return { file: '_files', folder: '_files -/' }[String(expected)] ?? `(${[...expected].join(' ')})`;
  };
  const described = (text: string) => text.replaceAll(/[[\]:\\]/g, '\\$&');
  const specification = ({ description, flags, value }: CompletedOption) =>
    flags.map((flag) => {
      const suffix = value === undefined ? '' : `:value:${actionOf(value)}`;
      const joined = value !== undefined && flag.startsWith('--') ? '=' : '';
      return quoted(`*${flag}${joined}[${described(description)}]${suffix}`);
    });
  const cases = commands.flatMap((command) => [
    `    ${command.names.join('|')})`,
    '      _arguments -S \\',
    ...command.options.flatMap(specification).map((each) => `        ${each} \\`),
    `        ${quoted(`*:argument:${actionOf(command.argument)}`)} ;;`,
  ]);
  return [
    '#compdef leapfrog',
    '_leapfrog() {',
    '  if ((CURRENT == 2)); then',
    '    local -a commands=(',
    ...commands.map(({ description, names: [name] }) => `      ${quoted(`${name}:${described(description)}`)}`),
    '    )',
    "    _describe 'command' commands",
    '    return',
    '  fi',
    '  shift words',
    '  ((CURRENT--))',
    '  case $words[1] in',
    ...cases,
    '  esac',
    '}',
    // The file is either loaded by `compinit` as the function itself, or sourced.
    'if [[ $funcstack[1] == _leapfrog ]]; then _leapfrog "$@"; else compdef _leapfrog leapfrog; fi',
  ].join('\n');
}

/** https://fishshell.com/docs/current/completions.html */
function fish(commands: readonly CompletedCommand[]): string {
  const line = (condition: string, ...words: readonly string[]) =>
    ['complete -c leapfrog -n', quoted(condition), ...words].join(' ');
  const wordsOf = (expected: Expected) => {
    if (expected === 'file') return ['-r', '-F'];
    if (expected === 'folder') return ['-x', '-a', quoted('(__fish_complete_directories)')];
    return expected === 'nothing' ? ['-x'] : ['-x', '-a', quoted([...expected].join(' '))];
  };
  const optionLine = (condition: string, { description, flags, value }: CompletedOption) => {
    const named = flags.flatMap((flag) => (flag.startsWith('--') ? ['-l', flag.slice(2)] : ['-s', flag.slice(1)]));
    return line(condition, ...named, ...(value === undefined ? [] : wordsOf(value)), '-d', quoted(description));
  };
  return [
    'complete -c leapfrog -f',
    ...commands.map(({ description, names: [name] }) =>
      line('__fish_use_subcommand', '-a', name, '-d', quoted(description)),
    ),
    ...commands.flatMap(({ argument, names, options }) => {
      const condition = `__fish_seen_subcommand_from ${names.join(' ')}`;
      const values = argument === 'file' ? [line(condition, '-F')] : [];
      if (argument !== 'file' && argument !== 'nothing') {
        const [, , words] = wordsOf(argument);
        values.push(line(condition, '-a', words));
      }
      return [...values, ...options.map((option) => optionLine(condition, option))];
    }),
  ].join('\n');
}

/** https://learn.microsoft.com/powershell/module/microsoft.powershell.core/register-argumentcompleter; it completes files by itself. */
function powershell(commands: readonly CompletedCommand[]): string {
  const text = (each: string) => `'${each.replaceAll("'", "''")}'`;
  const list = (words: readonly string[]) => `@(${words.map(text).join(', ')})`;
  const choices = ({ options }: CompletedCommand) =>
    options.flatMap(({ flags, value }) =>
      typeof value === 'object' ? flags.map((flag) => `${text(flag)} = ${list(value)}`) : [],
    );
  const entries = commands.flatMap((command) =>
    command.names.map((name) => {
      const flags = command.options.flatMap((option) => option.flags.filter((flag) => flag.startsWith('--')));
      return `    ${text(name)} = @{ Options = ${list(flags)}; Values = @{ ${choices(command).join('; ')} } }`;
    }),
  );
  return [
    'Register-ArgumentCompleter -Native -CommandName leapfrog -ScriptBlock {',
    '  param($word, $ast, $position)',
    '  $commands = @{',
    ...entries,
    '  }',
    '  $before = @($ast.CommandElements | Where-Object { $_.Extent.EndOffset -lt $position } | ForEach-Object { $_.ToString() })',
    '  if ($before.Count -le 1) {',
    `    $found = ${list(namesOf(commands))}`,
    '  } else {',
    '    $command = $commands[$before[1]]',
    '    $found = $command.Values[$before[-1]]',
    "    if ($null -eq $found -and $word -like '-*') { $found = $command.Options }",
    '  }',
    '  $found | Where-Object { $_ -like "$word*" } | ForEach-Object {',
    "    [System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $_)",
    '  }',
    '}',
  ].join('\n');
}
