import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { strFromU8, unzipSync } from 'fflate';
import { readJson } from '../../conformance/engine.js';
import { ROOT } from '../../project/tree.js';

interface Posterior {
  readonly name: string;
  readonly model_name: string;
  readonly data_name: string;
}

/**
 * Writes the posteriors of a checkout of posteriordb (https://github.com/stan-dev/posteriordb) into a folder each, with
 * `model.stan` and `data.json`, and returns the folder that holds them. Posteriors whose data the checkout lacks are left out.
 */
export function unpackPosteriordb(checkout: string): string {
  const from = join(checkout, 'posterior_database');
  const to = join(ROOT, 'build', 'posteriordb');
  for (const file of readdirSync(join(from, 'posteriors')).filter((name) => name.endsWith('.json'))) {
    const { name, model_name, data_name } = readJson<Posterior>(join(from, 'posteriors', file));
    const data = dataOf(join(from, 'data/data', `${data_name}.json.zip`));
    if (data === null) continue;
    mkdirSync(join(to, name), { recursive: true });
    writeFileSync(join(to, name, 'model.stan'), readFileSync(join(from, 'models/stan', `${model_name}.stan`)));
    writeFileSync(join(to, name, 'data.json'), data);
  }
  return to;
}

function dataOf(zip: string): string | null {
  try {
    const [content] = Object.values(unzipSync(readFileSync(zip)));
    return content === undefined ? null : strFromU8(content);
  } catch {
    return null;
  }
}
