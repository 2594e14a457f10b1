/** Converts CmdStan's arguments to a request for a function of the services namespace. */

import type { Argument, Value } from '../formats/cmdstan/argument.js';
import { method } from '../formats/cmdstan/arguments.js';
import { type ArgumentValues, functionArgument, valuesInForce } from '../formats/cmdstan/values.js';
import type { ArgumentValue } from '../inference/algorithms/arguments.js';
import { findAlgorithm } from '../inference/algorithms/registry.js';

/** The arguments of a run, by their paths in CmdStan's argument tree. */
export class MethodArguments {
  readonly name: string;
  private readonly values: ReadonlyMap<string, Value>;

  constructor(values: ArgumentValues, tree: readonly Argument[]) {
    this.values = valuesInForce(tree, values);
    this.name = String(values.of('method', method.usual));
  }

  /** The value at a path, such as `output.file`; `own.` represents the method's own group. */
  value(path: string): Value {
    const full = path.replace(/^own\./, `method.${this.name}.`);
    const found = this.values.get(full);
    if (found === undefined) throw new Error(`no argument ${full}`);
    return found;
  }

  text(path: string): string {
    return String(this.value(path));
  }

  number(path: string): number {
    return Number(this.value(path));
  }

  flag(path: string): boolean {
    return this.value(path) === true;
  }

  /** The name of the function. */
  get functionName(): string {
    switch (this.name) {
      case 'sample': {
        if (this.text('own.algorithm') === 'fixed_param') return 'fixed_param';
        const engine = this.text('own.algorithm.hmc.engine');
        const metric = this.text('own.algorithm.hmc.metric');
        return `hmc_${engine}_${metric}${this.flag('own.adapt.engaged') ? '_adapt' : ''}`;
      }
      case 'optimize':
      case 'variational':
        return this.text('own.algorithm');
      case 'pathfinder':
        return this.number('own.num_paths') === 1 ? 'pathfinder_lbfgs_single' : 'pathfinder_lbfgs_multi';
      case 'laplace':
        return 'laplace_sample';
      case 'diagnose':
        return 'diagnose';
      default:
        return 'standalone_generate';
    }
  }

  /** The function's arguments, under the names in its argument table. */
  settings(): Record<string, ArgumentValue> {
    const algorithm = findAlgorithm(this.functionName);
    if (algorithm === undefined) throw new Error(`no function ${this.functionName}`);
    const own = new Map<string, Value>();
    const prefix = `method.${this.name}.`;
    for (const [path, value] of this.values) {
      if (path.startsWith(prefix)) own.set(functionArgument(path.slice(prefix.length)), value);
    }
    // CmdStan prints no progress while it generates quantities.
    own.set('refresh', this.name === 'generate_quantities' ? 0 : this.number('output.refresh'));
    const taken = algorithm.arguments.filter(({ name }) => own.has(name));
    return Object.fromEntries(taken.map(({ name }) => [name, own.get(name) ?? 0]));
  }
}
