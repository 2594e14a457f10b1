/** A project: texts and settings. */

import type { IndexLevels } from '#engine/derive/level-labels.js';
import type { ModelTerms } from '#engine/formula/model-terms.js';
import type { ArgumentValue } from '#engine/inference/algorithms/arguments.js';
import type { Until } from '#engine/requests/until.js';
import { t } from '../words/messages.js';

export interface TextFile {
  readonly name: string;
  readonly text: string;
}

/** A function of the services namespace with the arguments that differ from its defaults. */
export interface RunSettings {
  readonly functionName: string;
  readonly arguments: Readonly<Record<string, ArgumentValue>>;
  /** Runs whose draws are inputs, such as the mode for an approximation: run ids by the names of inputs. */
  readonly sources?: Readonly<Record<string, string>>;
  /** Initial values as JSON text, one member per parameter; missing ones are drawn at random. */
  readonly initialValues?: string;
  /** Stopping rule of a sampler. */
  readonly until?: Until;
}

/** The displayed step, and the completed steps, counted from 0. */
interface LessonProgress {
  readonly at: number;
  readonly done: readonly number[];
}

/** An example or a lesson, by its folder. */
export interface BuiltIn {
  readonly kind: 'example' | 'lesson';
  readonly folder: string;
}

export interface Project {
  readonly id: string;
  readonly name: string;
  /** The author's description; only examples have one. */
  readonly about: string;
  /** The example or lesson from which it began, whose text above the program follows the language. */
  readonly builtIn?: BuiltIn;
  readonly program: string;
  readonly includes: readonly TextFile[];
  /** JSON text. */
  readonly data: string;
  /** Labels of index variables whose codes come from a table. */
  readonly levels?: readonly IndexLevels[];
  /** The terms of the formula from which the program was written. */
  readonly terms?: ModelTerms;
  readonly settings: RunSettings;
  /** JavaScript that reads the draws or simulates data. */
  readonly script?: string;
  /** Markdown with steps and goals, which `lessons/lesson.ts` parses. */
  readonly lesson?: string;
  /** Progress in the lesson; shared projects begin at the first step. */
  readonly progress?: LessonProgress;
  /** Milliseconds since 1970. */
  readonly savedAt: number;
  /** Milliseconds since 1970; only of a project in the trash. */
  readonly deletedAt?: number;
}

/** What a run takes from its project. */
export type Inputs = Pick<Project, 'program' | 'includes' | 'data' | 'levels' | 'terms' | 'settings'>;

export function inputsOf({ data, includes, levels, program, settings, terms }: Inputs): Inputs {
  return { program, includes, data, ...(levels && { levels }), ...(terms && { terms }), settings };
}

const DEFAULT_FUNCTION = 'stan::services::sample::hmc_nuts_diag_e_adapt';

/** Settings for NUTS with a new seed. */
export function newSettings(): RunSettings {
  return { functionName: DEFAULT_FUNCTION, arguments: { random_seed: drawSeed() } };
}

/** The largest seed. Seeds have few digits, so that they can be read aloud. */
const GREATEST_SEED = 999_999;

/** Draws a seed at random. */
export function drawSeed(): number {
  const [drawn = 0] = crypto.getRandomValues(new Uint32Array(1));
  return 1 + (drawn % GREATEST_SEED);
}

/** The project with a seed, so that all runs of one project, or of a link to it, draw the same numbers. */
export function withSeed(project: Project): Project {
  const { settings } = project;
  if (settings.arguments.random_seed !== undefined) return project;
  return { ...project, settings: { ...settings, arguments: { ...settings.arguments, random_seed: drawSeed() } } };
}

export function emptyProject(): Project {
  return {
    id: crypto.randomUUID(),
    name: t('frame.untitled'),
    about: '',
    program: '',
    includes: [],
    data: '{}\n',
    settings: newSettings(),
    savedAt: Date.now(),
  };
}
