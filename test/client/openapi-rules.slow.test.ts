/** Checks the OpenAPI description by the rules that Redocly recommends, if it is installed. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { serve } from '../support/serving.js';

/** The folder in which openapi-typescript, and with it Redocly, is installed. */
const MODULES = process.env.LEAPFROG_OPENAPI_MODULES ?? '';
const skip = MODULES === '' && 'LEAPFROG_OPENAPI_MODULES names no folder';
const TOKEN = 'a-secret-token-of-a-test';

/** What is used of @redocly/openapi-core. */
interface Redocly {
  createConfig(config: { readonly extends: readonly string[] }): Promise<object>;
  lintFromString(input: {
    readonly source: string;
    readonly absoluteRef: string;
    readonly config: object;
  }): Promise<readonly { readonly ruleId: string; readonly message: string }[]>;
}

/** Findings of the recommended rules, including warnings. */
async function findings(document: object): Promise<readonly string[]> {
  const main = join(MODULES, '@redocly', 'openapi-core', 'lib', 'index.js');
  const { createConfig, lintFromString }: Redocly = await import(pathToFileURL(main).href);
  const config = await createConfig({ extends: ['recommended'] });
  const problems = await lintFromString({ source: JSON.stringify(document), absoluteRef: 'openapi.json', config });
  return problems.map(({ ruleId, message }) => `${ruleId}: ${message}`);
}

describe('the OpenAPI description', { skip }, () => {
  const cases: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
    ['without authentication', {}],
    ['with a token', { LEAPFROG_TOKEN: TOKEN }],
  ];
  for (const [name, settings] of cases) {
    it(`passes Redocly's recommended rules, ${name}`, async () => {
      const serving = await serve(settings);
      const headers = { authorization: `Bearer ${TOKEN}` };
      const response = await fetch(`${serving.address}/v1/openapi.json`, { headers });
      const document: { readonly info: { readonly license?: object } } = JSON.parse(await response.text());
      await serving.stop();
      assert.deepEqual(await findings(document), []);
      const { license: _, ...info } = document.info;
      assert.notDeepEqual(await findings({ ...document, info }), []);
    });
  }
});
