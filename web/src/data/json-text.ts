/** Data as the text that people read: a line for each variable. */
import { writeJson } from '#engine/messages/json.js';
import type { Variables } from '#engine/run/variables.js';

/** Values NaN and infinite become the texts that Stan's JSON has for them. */
export function dataText(variables: Variables): string {
  const lines = Object.entries(variables).map(
    ([name, value]) => `  ${JSON.stringify(name)}: ${writeJson(value, 'string').replaceAll(',', ', ')}`,
  );
  return lines.length === 0 ? '{}\n' : `{\n${lines.join(',\n')}\n}\n`;
}
