import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { inspect } from 'node:util';
import { tableFromIPC } from 'apache-arrow';
import { writeChainFiles } from '../../src/fit-files/chain-writer.js';
import { DamagedFile, sealed } from '../../src/fit-files/checksums.js';
import { FitReader } from '../../src/fit-files/fit-reader.js';
import { JournalParser, JournalWriter } from '../../src/fit-files/journal.js';
import { chainFile, FIT_RECORD } from '../../src/fit-files/layout.js';
import { Renderer } from '../../src/fit-files/rendering.js';
import { MessageSink } from '../../src/formats/message-sink.js';
import { RowWriter } from '../../src/formats/row-writer.js';
import { loadTextKernel } from '../../src/node/kernels.js';
import { piecesOf } from '../../src/service/fits/pieces.js';
import { selectFrom } from '../../src/service/threads/selection.js';

const header = { drawNames: ['lp__', 'theta.1', 'theta.2'], diagnosticNames: ['lp__', 'p_theta.1'], chain: 3 };

/** A chain of many batches with every type of message, and its text. */
function record(folder: string): string {
  let text = '';
  const journal = new JournalWriter(chainFile(folder, 3, 'journal'), header);
  const expected = new MessageSink({ ...header, nonFinite: 'string' }, (line) => {
    text += line;
  });
  const lines = new MessageSink({ ...header, nonFinite: 'string' }, (line) => journal.addLine(line));
  const special = [Number.NaN, Number.POSITIVE_INFINITY, -0, 5e-324];
  const position = Float64Array.of(Number.NaN, 0.5);
  expected.initialization(position);
  journal.addNumbers('initialization', position);
  for (let k = 0; k < 90_000; k++) {
    if (k === 10) {
      journal.addAdaptation();
      for (const sink of [expected, lines]) sink.remark('Adaptation terminated');
    }
    if (k % 30_001 === 7) for (const sink of [expected, lines]) sink.log('info', `é "${k}"`);
    const draw = Float64Array.of(k, special[k % 97] ?? Math.sin(k), 1 / (k + 1));
    expected.draw(draw);
    journal.addNumbers('draw', draw);
    if (k % 1000 === 3) continue;
    const diagnostic = Float64Array.of(-k, Math.cos(k));
    expected.diagnostic(diagnostic);
    journal.addNumbers('diagnostic', diagnostic);
  }
  journal.close();
  writeChainFiles(folder, 3, true);
  writeFileSync(join(folder, FIT_RECORD), sealed('{}'));
  return text;
}

/** The records of a journal with these bytes, or undefined if it is detected as corrupt. */
function readJournal(bytes: Uint8Array): string[] | undefined {
  const parser = new JournalParser('journal');
  const records: string[] = [];
  try {
    for (let done = 0; done < bytes.length; ) {
      const space = parser.space();
      const piece = bytes.subarray(done, done + space.length);
      space.set(piece);
      done += piece.length;
      for (const each of parser.take(piece.length)) records.push(inspect(each, { maxArrayLength: null }));
    }
    parser.finish();
    return records;
  } catch (error) {
    assert.ok(error instanceof DamagedFile, `${error}`);
    return undefined;
  }
}

describe('the journal of a chain', () => {
  const folder = mkdtempSync(join(tmpdir(), 'leapfrog-journal-'));
  after(() => rmSync(folder, { recursive: true }));
  const path = chainFile(folder, 1, 'journal');
  const journal = new JournalWriter(path, header);
  for (let k = 0; k < 3; k++) {
    journal.addLine(`{"topic":"logger","values":["info:${k}"]}\n`);
    journal.addNumbers('draw', Float64Array.of(k, 0.1, 0.2));
    journal.addNumbers('diagnostic', Float64Array.of(k, 0.3));
  }
  journal.close();
  const bytes = readFileSync(path);
  const records = readJournal(bytes);

  it('is read as it was written', () => {
    assert.equal(records?.length, 10);
    assert.match(records[8], /kind: 'draw', values: Float64Array\(3\) \[ 2, 0.1, 0.2 \]/);
  });

  it('is never read differently if any of its bits has changed', () => {
    for (let bit = 0; bit < 8 * bytes.length; bit++) {
      const flipped = Buffer.from(bytes);
      flipped[bit >> 3] ^= 1 << (bit & 7);
      // Bits between records are not used.
      const found = readJournal(flipped);
      if (found !== undefined) assert.deepEqual(found, records, `bit ${bit}`);
    }
  });

  it('returns the complete records of a truncated journal and reports the truncation', () => {
    for (let length = 0; length < bytes.length; length++) {
      const found = readJournal(bytes.subarray(0, length));
      if (found !== undefined) assert.deepEqual(found, records?.slice(0, found.length), `${length} bytes`);
    }
  });

  it('does not become a fit if it is damaged, including long records', () => {
    const long = new JournalWriter(chainFile(folder, 2, 'journal'), header);
    long.addNumbers('draw', new Float64Array(100_000).fill(0.7));
    long.close();
    const content = readFileSync(chainFile(folder, 2, 'journal'));
    assert.equal(readJournal(content)?.length, 2);
    content[content.length - 4000] ^= 1;
    writeFileSync(chainFile(folder, 2, 'journal'), content);
    assert.throws(() => writeChainFiles(folder, 2, true), DamagedFile);
  });
});

describe('a fit on disk', () => {
  const folder = mkdtempSync(join(tmpdir(), 'leapfrog-fit-'));
  const text = record(folder);
  const reader = new FitReader();
  const renderer = new Renderer(reader, new RowWriter(loadTextKernel()));
  it('returns its messages byte for byte', async () => {
    const contents = reader.contents(folder);
    const of = { path: folder, format: 'ndjson' as const, hasChainColumn: false };
    const pieces: Uint8Array[] = [];
    for await (const parts of piecesOf(contents, selectFrom(contents, {}), 'ndjson', [])) {
      pieces.push(renderer.render({ ...of, parts }, 'string'));
    }
    assert.ok(Buffer.concat(pieces).equals(Buffer.from(text)));
    assert.ok(pieces.length > 1 && pieces.every(({ length }) => length < 4 << 20));
  });

  it('is a valid Arrow file', () => {
    const table = tableFromIPC(readFileSync(chainFile(folder, 3, 'draws.arrow')));
    assert.deepEqual(
      table.schema.fields.map(({ name }) => name),
      header.drawNames,
    );
    assert.equal(table.numRows, 90_000);
    assert.ok(table.batches.length > 1);
    assert.equal(table.getChild('theta.2')?.get(80_000), 1 / 80_001);
  });

  it('returns single columns and ranges of draws', () => {
    const values = reader.columns(folder, 3, 'draws.arrow', { from: 43_000, count: 2000 }, [0]);
    assert.deepEqual([values.length, values[0], values[1999]], [2000, 43_000, 44_999]);
    const contents = reader.contents(folder);
    const selection = selectFrom(contents, { variables: 'theta[2]', warmup: 'false', first: '2', last: '3' });
    assert.deepEqual(selection.columns, [2]);
    assert.deepEqual(
      selection.chains.map(({ from, to }) => [from, to]),
      [[11, 13]],
    );
    assert.throws(() => selectFrom(contents, { variables: 'mu' }), /mu, which the fit lacks; it has lp__, theta/);
    rmSync(folder, { recursive: true });
  });
});
