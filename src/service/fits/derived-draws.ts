/**
 * Computes quantities that are derived from a program's likelihood, for the draws of a fit. The result is a fit in a
 * temporary folder.
 */

import type { ProgramSource } from '../../chain/compiler.js';
import type { DerivedKind } from '../../derive/derived-names.js';
import type { FitContents } from '../../fit-files/contents.js';
import type { JobResult, PerformJob } from '../threads/protocol.js';

interface DerivedRequest {
  readonly kind: DerivedKind;
  readonly source: ProgramSource;
  /** JSON text. */
  readonly data: string;
  /** The fit whose draws are used. */
  readonly name: string;
  readonly contents: FitContents;
  readonly seed: number;
  /** An empty folder. */
  readonly folder: string;
}

type NotDerived = Extract<JobResult, { readonly kind: 'not compiled' }>;

const STANDALONE_GENERATE = 'standalone_generate';

/**
 * The contents of the derived fit, which has the chains of the draws without warmup, or the reason why it cannot be
 * derived.
 */
export async function deriveDraws(
  perform: PerformJob,
  { contents, data, folder, kind, name, seed, source }: DerivedRequest,
): Promise<FitContents | NotDerived> {
  const compiled = await perform(
    'Deriving the quantities',
    { kind: 'compile', source, derived: kind },
    'compiled',
    'not compiled',
  );
  if (compiled.kind === 'not compiled') return compiled;
  const module = await WebAssembly.compile(new Uint8Array(compiled.wasm));
  const model = { id: `${source.name ?? 'string'} ${kind}`, artifact: compiled.artifact, module };
  const inputs = { fitted_params: { kind: 'fit', name, path: contents.path } } as const;
  const chains = contents.chains.filter(({ draws }) => draws > 0);
  const common = { model, algorithm: STANDALONE_GENERATE, data, inputs, seed, folder, durably: false };
  await Promise.all(
    chains.map(({ id: chain }, index) =>
      perform(
        'Computing the derived quantities',
        { ...common, kind: 'chain', arguments: { chain, refresh: 0 }, chain, index, tagged: chains.length > 1 },
        'finished',
      ),
    ),
  );
  const read = await perform('Reading the derived quantities', { kind: 'contents', path: folder }, 'contents');
  return read.contents;
}
