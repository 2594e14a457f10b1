import type { RunSettings } from '../state/project.js';
import { t } from '../words/messages.js';
import { givenArguments, isRequest } from './functions.js';
import { untilOf } from './until-settings.js';

/** A request for the function of the settings with its arguments and stopping rule. `sources` are its data and inputs. Throws if no function has that name. */
export function requestOf<Request extends { readonly function: string }>(
  settings: RunSettings,
  sources: Readonly<Record<string, unknown>>,
): Request {
  const { functionName } = settings;
  const request = { ...givenArguments(settings), ...untilOf(settings), ...sources, function: functionName };
  if (!isRequest<Request>(request)) throw new Error(t('runs.noFunction', { name: functionName }));
  return request;
}
