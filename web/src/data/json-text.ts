/** Formats data as JSON text with one line per variable. */
import { writeJson } from '#engine/formats/json.js';
import type { Variables } from '#engine/requests/variables.js';

/** NaN and infinite values become the strings of Stan's JSON format. */
export function dataText(variables: Variables): string {
  const lines = Object.entries(variables).map(
    ([name, value]) => `  ${JSON.stringify(name)}: ${writeJson(value, 'string').replaceAll(',', ', ')}`,
  );
  return lines.length === 0 ? '{}\n' : `{\n${lines.join(',\n')}\n}\n`;
}
