import { edited } from '../../../src/derive/program-text.js';
import { LanguageService } from '../../../src/editing/language-service.js';

/** More errors than this are not fixed. */
const MOST_FIXES = 200;

/**
 * A program in the syntax of Stan 2.33 and later: applies the editor's fix of the first error, such as `array[N] int y` for `int y[N]`,
 * until there are no errors or no fix.
 */
export function inCurrentSyntax(text: string): string {
  const service = new LanguageService();
  let program = { name: 'model.stan', text, includes: {} };
  for (let count = 0; count < MOST_FIXES; count++) {
    const { remarks } = service.update(program);
    const fix = remarks.find(({ severity }) => severity === 'error')?.fixes[0];
    if (fix === undefined) break;
    program = edited(program, fix.edits);
  }
  return program.text;
}
