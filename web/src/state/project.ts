/** What a person works on: texts and settings, and the runs made of them. */
import type { ArgumentValue } from '#engine/inference/algorithms/arguments.js';
import type { Until } from '#engine/run/until.js';

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
  /** Initial values as JSON text, one member a parameter; those of parameters without one are drawn at random. */
  readonly initialValues?: string;
  /** When a sampler stops by itself. */
  readonly until?: Until;
}

/** The step that is shown, and those that were done. Steps count from 0. */
interface LessonProgress {
  readonly at: number;
  readonly done: readonly number[];
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
  /** Markdown in steps with goals, as `lessons/lesson.ts` reads it. */
  readonly lesson?: string;
  /** How far the lesson has come; shared projects begin at the first step. */
  readonly progress?: LessonProgress;
  /** Milliseconds since 1970. */
  readonly savedAt: number;
  /** Milliseconds since 1970; of a project in the trash. */
  readonly deletedAt?: number;
}

const DEFAULT_FUNCTION = 'stan::services::sample::hmc_nuts_diag_e_adapt';

/** NUTS with a seed of its own. */
export function newSettings(): RunSettings {
  return { functionName: DEFAULT_FUNCTION, arguments: { random_seed: drawSeed() } };
}

/** Seeds have few digits, so that they can be read out. */
const GREATEST_SEED = 999_999;

/** A seed, drawn at random. */
export function drawSeed(): number {
  const [drawn = 0] = crypto.getRandomValues(new Uint32Array(1));
  return 1 + (drawn % GREATEST_SEED);
}

/** The project with a seed: runs of one project, and of a link to it, draw the same numbers. */
export function withSeed(project: Project): Project {
  const { settings } = project;
  if (settings.arguments.random_seed !== undefined) return project;
  return { ...project, settings: { ...settings, arguments: { ...settings.arguments, random_seed: drawSeed() } } };
}

export function emptyProject(): Project {
  return {
    id: crypto.randomUUID(),
    name: 'Untitled',
    about: '',
    program: '',
    includes: [],
    data: '{}\n',
    settings: newSettings(),
    savedAt: Date.now(),
  };
}
