/** Draws that a server stores: small fits are loaded entirely, large ones by column as required. */

import { type Fit, type FitContents, openFit } from 'leapfrog';
import { blocksInSettings } from '#engine/formats/program-blocks.js';
import { csvSettings, readStanCsv } from '#engine/formats/stan-csv.js';
import { readChain } from '#engine/library/csv-chains.js';
import { fitOf, setFit } from '../state/fits.js';
import type { RemoteRun, Run } from '../state/run.js';
import { update, updateRun } from '../state/store.js';
import { t } from '../words/messages.js';
import { serverClient } from './server.js';

/** Maximum number of values of a fit that is loaded entirely. */
const MOST_AT_ONCE = 2_000_000;

/** Loads a fit; only its first column if it is large. */
export async function loadRemote(run: Run & { readonly remote: RemoteRun }): Promise<void> {
  const fit = serverClient().fit(run.remote.fit);
  const { columns, outputs } = headOf(decoded(await fit.download('csv', { first: 1, last: 1 })));
  const [known] = columns;
  if (known === undefined) return;
  const { draws, chains } = await fit.summary({ variables: [known] });
  const isLarge = draws * chains.length * columns.length > MOST_AT_ONCE;
  updateRun(run.id, { draws, remote: { ...run.remote, columns, isLarge } });
  await loadColumns(run, { chains, outputs }, isLarge ? [known] : columns, isLarge);
}

/** Loads columns of a large fit that are missing. */
export async function loadMore(run: Run, names: readonly string[]): Promise<void> {
  const { remote } = run;
  const known = fitOf(run.id);
  const missing = names.filter((name) => known?.columns.includes(name) !== true);
  if (missing.length === 0 || remote?.isLarge !== true) return;
  const { chains = run.chains, outputs = [] } = known?.contents() ?? {};
  await loadColumns({ ...run, remote }, { chains: chains.map(({ id }) => id), outputs }, missing, true);
}

/** Maximum number of names in one request. */
const NAMES_AT_ONCE = 50;

async function loadColumns(
  run: Run & { readonly remote: RemoteRun },
  { chains, outputs }: { readonly chains: readonly number[]; readonly outputs: FitContents['outputs'] },
  columns: readonly string[],
  isPart: boolean,
): Promise<void> {
  const fit = serverClient().fit(run.remote.fit);
  for (let from = 0; from === 0 || (isPart && from < columns.length); from += NAMES_AT_ONCE) {
    const variables = columns.slice(from, from + NAMES_AT_ONCE);
    const wanted = isPart ? variables : columns;
    const loaded = await Promise.all(
      chains.map(async (chain) => {
        const options = { chain, warmup: false, ...(isPart && { variables }) };
        return readChain(decoded(await fit.download('csv', options)), chain, 0, wanted);
      }),
    );
    const contents: FitContents = {
      program: 'model',
      asked: askedBy(run),
      outputs,
      columns: wanted,
      diagnosticColumns: [],
      chains: loaded.filter((chain) => chain !== undefined),
    };
    if (contents.chains.length !== chains.length) throw new Error(t('runs.otherColumns'));
    const known = isPart ? fitOf(run.id) : undefined;
    setFit(run.id, openFit(known === undefined ? contents : joined(known, contents)));
  }
  update(({ drawsVersion }) => ({ drawsVersion: drawsVersion + 1 }));
}

function askedBy({ source: { settings }, startedAt }: Run): Fit['asked'] {
  return {
    function: settings.functionName,
    arguments: settings.arguments,
    random_seed: 0,
    created: new Date(startedAt).toISOString(),
  };
}

/** The columns of both, which must contain the same draws. */
function joined(fit: Fit, more: FitContents): FitContents {
  const known = fit.contents();
  const columns = [...known.columns, ...more.columns];
  const chains = known.chains.map((chain, place) => {
    const [left, right] = [known.columns.length, more.columns.length];
    const added = more.chains[place]?.values ?? new Float64Array();
    const values = new Float64Array(chain.draws * columns.length);
    for (let row = 0; row < chain.draws; row++) {
      values.set(chain.values.subarray(row * left, (row + 1) * left), row * columns.length);
      values.set(added.subarray(row * right, (row + 1) * right), row * columns.length + left);
    }
    return { ...chain, values };
  });
  return { ...known, columns, chains };
}

function headOf(csv: string) {
  const { columns, head } = readStanCsv(csv.split('\n'));
  return { columns, outputs: blocksInSettings(csvSettings(head)) };
}

function decoded(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}
