/** What a person works on: texts and settings, and the runs made of them. */
import type { ArgumentValue } from '#engine/inference/algorithms/arguments.js';

export interface TextFile {
  readonly name: string;
  readonly text: string;
}

/** A function of the services namespace with the arguments that differ from its defaults. */
export interface RunSettings {
  readonly functionName: string;
  readonly arguments: Readonly<Record<string, ArgumentValue>>;
  /** Runs whose draws are inputs, such as the mode that an approximation is made at: ids by the names of inputs. */
  readonly sources?: Readonly<Record<string, string>>;
}

export interface Project {
  readonly id: string;
  readonly name: string;
  /** Its author's description; examples have one. */
  readonly about: string;
  readonly program: string;
  readonly includes: readonly TextFile[];
  /** JSON text. */
  readonly data: string;
  readonly settings: RunSettings;
  /** Milliseconds since 1970. */
  readonly savedAt: number;
  /** Milliseconds since 1970; of a project in the trash. */
  readonly deletedAt?: number;
}

const DEFAULT_FUNCTION = 'stan::services::sample::hmc_nuts_diag_e_adapt';
export const DEFAULT_SETTINGS: RunSettings = { functionName: DEFAULT_FUNCTION, arguments: {} };

export function emptyProject(): Project {
  return {
    id: crypto.randomUUID(),
    name: 'Untitled',
    about: '',
    program: '',
    includes: [],
    data: '{}\n',
    settings: DEFAULT_SETTINGS,
    savedAt: Date.now(),
  };
}
