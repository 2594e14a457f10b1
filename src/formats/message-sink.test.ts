import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { elapsedLines } from '../inference/algorithms/iterations.js';
import { MessageSink, styledMessage } from './message-sink.js';
import { type NonFinite, numberText } from './numbers.js';

function written(emit: (sink: MessageSink) => void, options: { chain?: number; nonFinite?: NonFinite } = {}): string[] {
  const lines: string[] = [];
  const { nonFinite = 'string', chain } = options;
  const names = { drawNames: ['lp__', 'theta.1', 'a"b'], diagnosticNames: ['lp__', 'p_x'] };
  emit(new MessageSink({ ...names, nonFinite, ...(chain === undefined ? {} : { chain }) }, (line) => lines.push(line)));
  return lines;
}

describe('messages', () => {
  it('are one JSON object per line', () => {
    const lines = written((sink) => {
      sink.log('warn', 'print "x"\n');
      sink.progress({ iteration: 1, total: 2, text: 'Iteration: 1 / 2 [ 50%]  (Warmup)' });
      sink.initialization(Float64Array.of(0.1, -2));
      sink.adaptation({ stepSize: 0.9, inverseMetric: Float64Array.of(1, 2), text: ['Adaptation terminated', '1, 2'] });
      sink.draw(Float64Array.of(-1.5, 1e-7, 3));
      sink.diagnostic(Float64Array.of(0.1 + 0.2, -0));
    });
    assert.deepEqual(lines, [
      '{"version":1,"topic":"logger","values":["warn:print \\"x\\"\\n"]}\n',
      '{"version":1,"topic":"logger","values":["info:Iteration: 1 / 2 [ 50%]  (Warmup)"]}\n',
      '{"version":1,"topic":"initialization","values":[0.1,-2]}\n',
      '{"version":1,"topic":"sample","values":["Adaptation terminated"]}\n',
      '{"version":1,"topic":"sample","values":["1, 2"]}\n',
      '{"version":1,"topic":"sample","values":{"lp__":-1.5,"theta.1":1e-7,"a\\"b":3}}\n',
      '{"version":1,"topic":"diagnostic","values":{"lp__":0.30000000000000004,"p_x":-0}}\n',
    ]);
    for (const line of lines) assert.equal(typeof JSON.parse(line), 'object');
  });

  it("report a sampler's times on three topics, as httpstan does", () => {
    const lines = written((sink) => sink.elapsed(elapsedLines(0.25, 0.5)));
    const times = [
      ' Elapsed Time: 0.25 seconds (Warm-up)',
      '               0.5 seconds (Sampling)',
      '               0.75 seconds (Total)',
    ];
    const expected = [
      ...times.map((text) => ({ version: 1, topic: 'sample', values: [text] })),
      ...times.map((text) => ({ version: 1, topic: 'diagnostic', values: [text] })),
      ...['', ...times, ''].map((text) => ({ version: 1, topic: 'logger', values: [`info:${text}`] })),
    ];
    assert.deepEqual(
      lines.map((line) => JSON.parse(line)),
      expected,
    );
  });

  it('contain the chain if there are several', () => {
    const [log, draw] = written(
      (sink) => {
        sink.log('info', '');
        sink.draw(Float64Array.of(1, 2, 3));
      },
      { chain: 3 },
    );
    assert.equal(log, '{"version":1,"topic":"logger","values":["info:"],"chain":3}\n');
    assert.equal(JSON.parse(draw).chain, 3);
  });

  it('write non-finite numbers in any of three styles, and convert strings to the others', () => {
    const draw = (nonFinite: NonFinite) =>
      written((sink) => sink.draw(Float64Array.of(Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY)), {
        nonFinite,
      })[0];
    const values = (text: string) => `{"version":1,"topic":"sample","values":${text}}\n`;
    assert.equal(draw('string'), values('{"lp__":"NaN","theta.1":"Infinity","a\\"b":"-Infinity"}'));
    assert.equal(draw('literal'), values('{"lp__":NaN,"theta.1":Infinity,"a\\"b":-Infinity}'));
    assert.equal(draw('null'), values('{"lp__":null,"theta.1":null,"a\\"b":null}'));
  });

  it('are converted to another style by their numbers, not inside texts', () => {
    const position = Float64Array.of(Number.NaN, -0, Number.NEGATIVE_INFINITY, 1 / 3);
    for (const chain of [{}, { chain: 2 }])
      for (const nonFinite of ['string', 'literal', 'null'] as const) {
        const [first] = written((sink) => sink.initialization(position), chain);
        const [styled] = written((sink) => sink.initialization(position), { ...chain, nonFinite });
        assert.equal(styledMessage(first, nonFinite), styled);
      }
    const [line] = written((sink) => sink.log('info', 'x = ["NaN","Infinity"], {"a":"NaN"}'));
    assert.equal(styledMessage(line, 'null'), line);
  });

  it('print numbers so that they round-trip', () => {
    for (const value of [5e-324, 1 / 3, 1e21, -1.7976931348623157e308, 123456789012345680000, -0]) {
      assert.ok(Object.is(JSON.parse(numberText(value, 'string')), value));
    }
  });
});
