/** Replays the events of a chain of a finished fit, in the order of its journal. */
import { setImmediate as turn } from 'node:timers/promises';
import { checkedLines } from './checked-file.js';
import type { JournalRecord } from './journal.js';
import { chainFile, parseRunLine } from './layout.js';
import { readContents, type TableFile, TableRows, withTable } from './reading.js';
import { readTableContents } from './table-reader.js';

/** Number of draws after which the event loop can run other tasks. */
const DRAWS_PER_TURN = 200;

/** The records of a chain in a folder, in order. Numbers are valid until the next record is read. */
export async function* replayChain(folder: string, id: number): AsyncGenerator<JournalRecord> {
  const contents = readContents(folder);
  const chain = contents?.chains.find((each) => each.id === id);
  if (contents === undefined || chain === undefined) throw new Error(`there is no chain ${id} in ${folder}`);
  const names = (file: TableFile) => withTable(contents, chain.id, file, readTableContents).names;
  const tag = chain.chain === undefined ? {} : { chain: chain.chain };
  const [drawNames, diagnosticNames] = [names('draws.arrow'), names('diagnostics.arrow')];
  yield { kind: 'header', header: { drawNames, diagnosticNames, ...tag } };
  const draws = new TableRows(contents, chain.id, 'draws.arrow');
  const diagnostics = new TableRows(contents, chain.id, 'diagnostics.arrow');
  let [draw, diagnostic] = [0, 0];
  for await (const line of checkedLines(chainFile(folder, chain.id, 'messages'), chain.files.messages)) {
    const { count, pattern } = parseRunLine(line) ?? { count: 0, pattern: undefined };
    if (pattern === undefined) yield { kind: 'line', line: `${line}\n` };
    for (let k = 0; k < count; k++) {
      if (pattern !== 'd') yield { kind: 'draw', values: draws.read(draw++, chain.warmup + chain.draws) };
      if (pattern !== 's') yield { kind: 'diagnostic', values: diagnostics.read(diagnostic++, chain.diagnostics) };
      if ((draw + diagnostic) % DRAWS_PER_TURN === 0) await turn();
    }
  }
}
