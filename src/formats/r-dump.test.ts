import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { jsonOfDump } from './r-dump.js';

const read = (text: string): Record<string, unknown> => JSON.parse(jsonOfDump(text));

describe('an R dump', () => {
  it('contains numbers, which stay integers or reals', () => {
    const text = 'N <- 8L\n"a b" <-\n-1.50e3; x = .5 # a comment\ny <- 2.\n`z` <- 1e5';
    assert.equal(jsonOfDump(text), '{"N":8,"a b":-1.50e3,"x":0.5,"y":2.0,"z":1e5}');
    assert.deepEqual(read('a <- Inf\nb <- -Inf\nc <- NaN'), { a: 'Inf', b: '-Inf', c: 'NaN' });
  });

  it('contains vectors, ranges and empty vectors', () => {
    assert.deepEqual(
      read('a <- c(1,\n 2,3)\nb <- 3:5\nc <- c(1, 4:2)\nd <- integer(0)\ne <- c()\nf <- double(2)\ng <- c(7)'),
      {
        a: [1, 2, 3],
        b: [3, 4, 5],
        c: [1, 4, 3, 2],
        d: [],
        e: [],
        f: [0, 0],
        g: [7],
      },
    );
  });

  it('contains arrays in column-major order', () => {
    assert.deepEqual(read('m <- structure(c(1,2,3,4,5,6), .Dim = c(2L,3L))'), {
      m: [
        [1, 3, 5],
        [2, 4, 6],
      ],
    });
    assert.deepEqual(read('a <- structure(1:8, .Dim=c(2,2,2))').a, [
      [
        [1, 5],
        [3, 7],
      ],
      [
        [2, 6],
        [4, 8],
      ],
    ]);
    assert.deepEqual(read('z <- structure(integer(0), .Dim = c(2,0))'), { z: [[], []] });
  });

  it('is rejected with the location of the error', () => {
    for (const [text, message] of [
      ['N <- "a"', 'line 1, column 6: expected a value'],
      ['N <- 1\ny 2', 'line 2, column 3: expected "="'],
      ['m <- structure(c(1,2), .Dim = c(3))', 'line 1, column 36: expected the number of values in .Dim, not 2'],
      ['{"N": 1}', 'line 1, column 1: expected the name of a variable'],
    ])
      assert.throws(() => jsonOfDump(text), { name: 'DumpSyntaxError', message });
  });
});
