import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { elapsedLines } from '../inference/algorithms/iterations.js';
import { csvComments } from './csv.js';
import { MessageSink } from './message-sink.js';

describe('CSV comments made from messages', () => {
  const comments = (emit: (sink: MessageSink) => void, isKept: (line: string) => boolean = () => true) => {
    const lines: string[] = [];
    emit(new MessageSink({ drawNames: [], diagnosticNames: [], nonFinite: 'string' }, (line) => lines.push(line)));
    return lines.filter(isKept).map(csvComments).join('');
  };
  const TIMES = `# 
#  Elapsed Time: 1 seconds (Warm-up)
#                2 seconds (Sampling)
#                3 seconds (Total)
# 
`;

  it('contain the times of a sampler once, also if only the log has them', () => {
    const emit = (sink: MessageSink) => sink.elapsed(elapsedLines(1, 2));
    assert.equal(comments(emit), TIMES);
    assert.equal(
      comments(emit, (line) => line.includes('logger')),
      TIMES,
    );
  });

  it('contain the times of Pathfinder, which only the draws have', () => {
    const times = [
      'Elapsed Time: 0.1 seconds (Pathfinders)',
      '              0.1 seconds (PSIS)',
      '              0.2 seconds (Total)',
    ];
    const text = comments((sink) => {
      for (const line of times) sink.remark(line);
    });
    assert.equal(text, times.map((line) => `# ${line}\n`).join(''));
  });
});
