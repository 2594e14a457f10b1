import { filesBelow, read } from '../project/tree.js';
import { FUNCTION_CASES, MODEL_CASES, type ModelCase, readCases, SYNTAX_CASES } from '../reference/stan.js';

const TEMPLATE = /`([^`$]*\b(?:functions|data|parameters|model|quantities)\s*\{[^`$]*)`/g;

/** All programs of the project: those in the sources of tests and benchmarks, and those of the reference cases. */
export function corpus(): readonly string[] {
  const sources = [...filesBelow('test', '.ts'), ...filesBelow('src', '.test.ts')].map(read);
  const quoted = sources.flatMap((source) => [...source.matchAll(TEMPLATE)].map(([, text]) => text));
  return [...new Set([...quoted, ...filesBelow('test', '.stan').map(read), ...references()])];
}

function references(): readonly string[] {
  return [
    ...readCases<ModelCase>(MODEL_CASES).map(({ files }) => files['model.stan']),
    ...[...FUNCTION_CASES, ...SYNTAX_CASES].flatMap((path) =>
      readCases<{ readonly program: string }>(path).map(({ program }) => program),
    ),
  ];
}
