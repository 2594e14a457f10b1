import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { filesBelow, ROOT, read } from '../project/tree.js';

const CONFORMANCE = join(ROOT, '../shared/conformance');
const TEMPLATE = /`([^`$]*\b(?:functions|data|parameters|model|quantities)\s*\{[^`$]*)`/g;

/** Every program we have: those in the tests' sources, the benchmarks', and the reference cases where they are at hand. */
export function corpus(): readonly string[] {
  const sources = [...filesBelow('test', '.ts'), ...filesBelow('src', '.test.ts')].map(read);
  const quoted = sources.flatMap((source) => [...source.matchAll(TEMPLATE)].map(([, text]) => text));
  return [...new Set([...quoted, ...filesBelow('test', '.stan').map(read), ...references()])];
}

function references(): readonly string[] {
  if (!existsSync(CONFORMANCE)) return [];
  const models = join(CONFORMANCE, 'models');
  const files = readdirSync(CONFORMANCE).filter((name) => name.endsWith('.jsonl'));
  return [
    ...readdirSync(models).map((name) => readFileSync(join(models, name, 'model.stan'), 'utf8')),
    ...files.sort().flatMap((name) => programsOf(readFileSync(join(CONFORMANCE, name), 'utf8'))),
  ];
}

function programsOf(lines: string): readonly string[] {
  return lines
    .split('\n')
    .filter((line) => line !== '')
    .map((line): { readonly program: string } => JSON.parse(line))
    .map(({ program }) => program);
}
