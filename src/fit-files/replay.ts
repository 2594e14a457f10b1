/** Replays the events of a finished chain, in the order of its journal. */
import { setImmediate as turn } from 'node:timers/promises';
import { initializationIn } from '../formats/message-sink.js';
import { checkedLines } from './checked-file.js';
import type { TableFile } from './contents.js';
import type { JournalRecord } from './journal.js';
import { chainFile, parseRunLine } from './layout.js';
import { readChain, TableRows, withTable } from './reading.js';
import { readTableContents } from './table-reader.js';

/** Number of draws after which the event loop can run other tasks. */
const DRAWS_PER_TURN = 200;

/**
 * The records of a chain in a folder, in order. Other chains in the folder may be incomplete. Numbers are valid until the
 * next record is read.
 */
export async function* replayChain(folder: string, id: number): AsyncGenerator<JournalRecord> {
  const found = readChain(folder, id);
  if (found === undefined) throw new Error(`there is no chain ${id} in ${folder}`);
  const { chain } = found;
  const table = (file: TableFile) => withTable(found, id, file, readTableContents);
  const tag = chain.chain === undefined ? {} : { chain: chain.chain };
  const { names: drawNames, outputs } = table('draws.arrow');
  const { names: diagnosticNames } = table('diagnostics.arrow');
  yield { kind: 'header', header: { drawNames, diagnosticNames, outputs, ...tag } };
  const draws = new TableRows(found, id, 'draws.arrow');
  const diagnostics = new TableRows(found, id, 'diagnostics.arrow');
  let [draw, diagnostic] = [0, 0];
  for await (const line of checkedLines(chainFile(folder, id, 'messages'), chain.files.messages)) {
    const { count, pattern } = parseRunLine(line) ?? { count: 0, pattern: undefined };
    const position = initializationIn(line);
    if (position !== undefined) yield { kind: 'initialization', values: position };
    else if (pattern === undefined) yield { kind: 'line', line: `${line}\n` };
    else if (count === 0) yield { kind: 'adaptation' };
    for (let k = 0; k < count; k++) {
      if (pattern !== 'd') yield { kind: 'draw', values: draws.read(draw++, chain.warmup + chain.draws) };
      if (pattern !== 's') yield { kind: 'diagnostic', values: diagnostics.read(diagnostic++, chain.diagnostics) };
      if ((draw + diagnostic) % DRAWS_PER_TURN === 0) await turn();
    }
  }
}
