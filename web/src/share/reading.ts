/** Validates links and files from outside the page. Invalid parts are ignored. */
import type { IndexLevels } from '#engine/derive/level-labels.js';
import { areTerms } from '#engine/formula/reading-terms.js';
import { findAlgorithm } from '#engine/inference/algorithms/registry.js';
import { knownArguments } from '#engine/requests/functions.js';
import { readRule } from '../run/until-settings.js';
import type { Project, RunSettings, TextFile } from '../state/project.js';

/** The valid parts of a project in a link or a file. */
export function readProjectParts(value: unknown): Partial<Project> {
  if (!isRecord(value)) return {};
  const { name, about, program, includes, data, settings, script, lesson } = value;
  const read = readSettings(settings);
  return {
    ...(typeof name === 'string' && { name }),
    ...(typeof about === 'string' && { about }),
    ...(typeof program === 'string' && { program }),
    ...(typeof data === 'string' && { data }),
    ...(typeof script === 'string' && { script }),
    ...(typeof lesson === 'string' && { lesson }),
    ...(Array.isArray(includes) && { includes: includes.filter(isTextFile) }),
    ...readLevels(value),
    ...(read !== undefined && { settings: read }),
  };
}

/** Settings with a known function and valid values; undefined for anything else. */
export function readSettings(value: unknown): RunSettings | undefined {
  if (!isRecord(value) || typeof value.functionName !== 'string' || !isRecord(value.arguments)) return undefined;
  if (findAlgorithm(value.functionName) === undefined) return undefined;
  const { initialValues } = value;
  const settings = {
    functionName: value.functionName,
    arguments: knownArguments(value.functionName, value.arguments),
    ...(typeof initialValues === 'string' && { initialValues }),
  };
  const until = readRule(settings, value.until);
  return until === undefined ? settings : { ...settings, until };
}

/** Valid labels of index variables and terms of a formula, as members of a project or of a run's source. */
export function readLevels({ levels, terms }: Readonly<Record<string, unknown>>): Pick<Project, 'levels' | 'terms'> {
  return {
    ...(Array.isArray(levels) && levels.length > 0 && levels.every(areLevels) && { levels }),
    ...(areTerms(terms) && { terms }),
  };
}

function areLevels(value: unknown): value is IndexLevels {
  if (!isRecord(value) || typeof value.variable !== 'string') return false;
  return Array.isArray(value.labels) && value.labels.every((label) => typeof label === 'string');
}

function isTextFile(value: unknown): value is TextFile {
  return isRecord(value) && typeof value.name === 'string' && typeof value.text === 'string';
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
