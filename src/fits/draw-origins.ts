/** The origin of draws in files, and whether files are chains of one fit. */

import { csvSettings } from '../formats/stan-csv.js';

/** The run that wrote a file, as far as the file describes it. */
export interface Origin {
  readonly program?: string | undefined;
  readonly method?: string | undefined;
  /** The data file. */
  readonly data?: string | undefined;
  /** A key shared by the files of one run. */
  readonly run?: string | undefined;
  /** The ID of the chain; undefined for a file with several chains. */
  readonly chain?: string | undefined;
}

interface WithOrigin {
  readonly path: string;
  readonly origin: Origin;
  /** A value that differs between chains; undefined if none is known. */
  readonly fingerprint?: string | undefined;
  /** Number of draws after warmup. */
  readonly draws: number;
}

/**
 * The first and the last draw of a chain with energies, which different chains do not share by chance. In CmdStan, two runs with the same
 * seed and the same ID produce the same chain.
 */
export function fingerprintOf(columns: readonly string[], rows: readonly Float64Array[]): string | undefined {
  if (!columns.includes('energy__') || rows.length < 2) return undefined;
  return [rows[0], rows[rows.length - 1]].map((row) => row.join()).join(' ');
}

/** Reads the comments at the head of a CSV file. */
export function csvOrigin(head: readonly string[], chains: number): Origin {
  const settings = csvSettings(head);
  return {
    program: settings.get('model')?.replace(/_model$/, ''),
    method: settings.get('method'),
    run: settings.get('run_id'),
    data: settings.get('data.file'),
    chain: chains > 1 ? undefined : settings.get('id'),
  };
}

/** Messages for chains that do not belong to one fit, or differ in length. */
export function differencesOf(chains: readonly WithOrigin[]): string[] {
  const difference = ASPECTS.map(([aspect, words]) => differenceIn(chains, aspect, words)).find(
    (text) => text !== undefined,
  );
  return [difference, repeated(chains), shortest(chains)].filter((text) => text !== undefined);
}

/** Sorted by importance: only the first difference is reported. */
const ASPECTS: readonly (readonly ['program' | 'method' | 'data' | 'run', (a: string, b: string) => string])[] = [
  ['program', (a, b) => `they come from different programs, ${a} and ${b}`],
  ['method', (a, b) => `they come from different methods, ${a} and ${b}`],
  ['data', (a, b) => `they were fitted to different data, ${a || 'none'} and ${b || 'none'}`],
  ['run', () => 'they come from different runs'],
];

function differenceIn(
  chains: readonly WithOrigin[],
  aspect: (typeof ASPECTS)[number][0],
  words: (a: string, b: string) => string,
): string | undefined {
  const known = chains.filter(({ origin }) => origin[aspect] !== undefined);
  const [first] = known;
  const others = known.filter(({ origin }) => origin[aspect] !== first.origin[aspect]);
  if (others.length === 0) return undefined;
  const same = known.filter(({ origin }) => origin[aspect] === first.origin[aspect]);
  const reason = words(first.origin[aspect] ?? '', others[0].origin[aspect] ?? '');
  return `${pathsOf(same)} and ${pathsOf(others)} are not chains of one fit: ${reason}.`;
}

function repeated(chains: readonly WithOrigin[]): string | undefined {
  const seen = new Map<string, string>();
  for (const { path, origin, fingerprint } of chains) {
    const { chain, run } = origin;
    const key = chain === undefined || run === undefined ? fingerprint : `${run} ${chain}`;
    if (key === undefined) continue;
    const earlier = seen.get(key);
    if (earlier !== undefined) return `${earlier} and ${path} contain the same chain: its draws count twice.`;
    seen.set(key, path);
  }
  return undefined;
}

/** A message about the shortest chain, to whose length statistics truncate the others. */
function shortest(chains: readonly WithOrigin[]): string | undefined {
  const [first, ...others] = chains.toSorted((a, b) => a.draws - b.draws);
  const longest = others.at(-1);
  if (longest === undefined || longest.draws === first.draws) return undefined;
  return `The chains differ in length: ${first.path} has ${first.draws} draws after warmup, ${longest.path} has ${longest.draws}. Only the first ${first.draws} of each chain are used.`;
}

function pathsOf(chains: readonly WithOrigin[]): string {
  return [...new Set(chains.map(({ path }) => path))].join(', ');
}
