import { Option } from 'commander';
import type { Block, IrFunction } from '../../ir/nodes.js';
import { printBlock, printFunction } from '../../ir/print.js';
import { nearestName } from '../../language/suggestion.js';
import type { Pass } from '../../optimize/pass.js';
import { PASSES, type PassName } from '../../optimize/passes.js';
import type { Observation, Observer } from '../../optimize/runner.js';
import { CommandError } from '../errors.js';

/** Names that `--print-ir-after` accepts in addition to those of passes: stages of the compiler, and all. */
const STAGES: readonly string[] = ['lower', 'differentiate', 'directionalDerivative'];
const ALL = 'all';

export interface PassFlags {
  readonly printIrBefore: readonly string[];
  readonly printIrAfter: readonly string[];
  readonly without: readonly string[];
  readonly timePasses: boolean;
}

export function passOptions(): Option[] {
  const repeated = (flags: string, description: string): Option =>
    new Option(flags, `${description}; may be repeated`)
      .default([], 'none')
      .argParser((name, earlier: readonly string[]) => [...earlier, name]);
  return [
    repeated('--print-ir-after <pass>', 'print the IR after a pass, after lower or differentiate, or after all'),
    repeated('--print-ir-before <pass>', 'print the IR before a pass, or before all'),
    repeated('--without <pass>', 'disable a pass'),
    new Option('--time-passes', 'show how long each pass takes').default(false),
  ];
}

/** The compiler options that the flags select. `print` receives IR as text. */
export function passRequest(
  flags: PassFlags,
  print: (text: string) => void,
): { readonly without: readonly PassName[]; readonly observe: Observer } {
  for (const name of flags.printIrAfter) checkName(name, [...passNames(), ...STAGES, ALL]);
  for (const name of flags.printIrBefore) checkName(name, [...passNames(), ALL]);
  const without = flags.without.map(optionalPass);
  const asks = (names: readonly string[], name: string): boolean => names.includes(name) || names.includes(ALL);
  const observe = ({ name, part, of, before, block, functions }: Observation): void => {
    const where = of === null ? part : `${part} ${of.name}`;
    if (before !== null && asks(flags.printIrBefore, name)) {
      print(`==== ${where} before ${name} ====\n${textOf(of, before)}\n`);
    }
    if (!asks(flags.printIrAfter, name)) return;
    const called = before === null ? functions.map((f) => `${printFunction(f)}\n\n`).join('') : '';
    print(`==== ${where} after ${name} ====\n${called}${textOf(of, block)}\n`);
  };
  return { without, observe };
}

function textOf(of: IrFunction | null, block: Block): string {
  return `${of === null ? printBlock(block) : printFunction({ ...of, body: block })}\n`;
}

function passNames(): readonly string[] {
  return Object.keys(PASSES);
}

function isPassName(name: string): name is PassName {
  return Object.hasOwn(PASSES, name);
}

function checkName(name: string, known: readonly string[]): void {
  if (known.includes(name)) return;
  const nearest = nearestName(name, known);
  const hint = nearest === undefined ? `Passes: ${passNames().join(', ')}.` : `Did you mean ${nearest}?`;
  throw new CommandError(`There is no pass ${name}. ${hint}`);
}

function optionalPass(name: string): PassName {
  checkName(name, passNames());
  if (!isPassName(name)) throw new CommandError(`There is no pass ${name}.`);
  const { required }: Pass = PASSES[name];
  if (required !== undefined) throw new CommandError(`${name} cannot be disabled: ${required}.`);
  return name;
}
