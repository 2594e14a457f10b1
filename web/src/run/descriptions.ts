/** Descriptions of functions and their arguments in the language of the page. The English ones are the engine's. */
import type { Algorithm } from '#engine/inference/algorithms/algorithm.js';
import type { Argument } from '#engine/inference/algorithms/arguments.js';
import { translatedDescriptions } from '../words/messages.js';
import { shortName } from './function-names.js';

export function functionDescription({ description, functionName }: Algorithm): string {
  return translatedDescriptions()?.functions[shortName(functionName)] ?? description;
}

export function argumentDescription({ functionName }: Algorithm, { description, name }: Argument): string {
  const known = translatedDescriptions()?.arguments;
  return known?.[`${shortName(functionName)}.${name}`] ?? known?.[name] ?? description;
}
