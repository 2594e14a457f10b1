import type { JsonData } from '../formats/stan-json.js';
import type { InstantiateOptions, Program } from './bind.js';
import { integrationPays, workFactor } from './integration.js';
import { instantiate, type Model } from './model.js';

/** Output that is printed only once it is known to belong to the program that is used. */
class HeldOutput {
  readonly #print: (text: string) => void;
  #held: string[] | null = [];

  constructor(print: (text: string) => void) {
    this.#print = print;
  }

  /** Prints the output of a failure. */
  during<T>(run: (print: (text: string) => void) => T): T {
    try {
      return run((text) => (this.#held === null ? this.#print(text) : this.#held.push(text)));
    } catch (error) {
      this.release();
      throw error;
    }
  }

  release(): void {
    for (const text of this.#held ?? []) this.#print(text);
    this.#held = null;
  }
}

/** A program without integrated parameters, and the bytes of its module. */
interface Alternative extends Pick<Program, 'artifact' | 'module'> {
  readonly wasm: Uint8Array<ArrayBuffer>;
}

/** The program without integrated parameters; undefined if it has not been compiled. */
export function alternativeOf(
  { artifact, module }: Pick<Program, 'artifact' | 'module'>,
  declinedFactor: number,
): Alternative | undefined {
  const { alternative, integrated, sampled } = artifact.integration ?? {};
  if (alternative === undefined || integrated === undefined) return undefined;
  const [section] = WebAssembly.Module.customSections(module, alternative.section);
  const reason = `integrating it out would take ${declinedFactor.toPrecision(2)} times the work of a gradient`;
  const left = integrated.map((name) => ({ name, reason }));
  const integration = {
    integrated: [],
    sampled: [...(sampled ?? []), ...left],
    isRegression: false,
    isOpen: false,
    declinedFactor,
  };
  return {
    artifact: { ...alternative.artifact, integration },
    module: new WebAssembly.Module(section),
    wasm: new Uint8Array(section),
  };
}

/** Instantiates a program with its data: without integrated parameters if integration does not pay with these data. */
export function instantiateChosen(program: Program, data: JsonData, options: InstantiateOptions): Model {
  const { artifact, linear, module } = program;
  if (artifact.integration?.alternative === undefined) return instantiate(artifact, module, linear, data, options);
  const output = new HeldOutput(options.print);
  const model = output.during((print) => instantiate(artifact, module, linear, data, { ...options, print }));
  const work = model.integrationWork();
  const other = work === undefined || integrationPays(work) ? undefined : alternativeOf(program, workFactor(work));
  if (other === undefined) {
    output.release();
    return model;
  }
  model.close();
  return instantiate(other.artifact, other.module, linear, data, options);
}
