import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { targetOf } from '../../../test/support/interpreter.js';
import { Builder, Names } from '../../ir/builder.js';
import { compare, int, load, real } from '../../ir/expressions.js';
import type { Block, Ref } from '../../ir/nodes.js';
import { verify } from '../../ir/verify.js';
import { releaseMemory } from './release-memory.js';

const SIZE = int(3);
const DATA = [0.5, 2, 1.25];

interface Given {
  readonly b: Builder;
  /** Data. */
  readonly d: Ref;
  /** A list that stays in memory. */
  readonly kept: Ref;
  /** Allocates a list with the elements of another one. */
  copy(from: Ref, name: string): Ref;
}

/** The allocations and terms of the block, with its regions in brackets; asserts that it adds the same to `target`. */
function regionsOf(write: (given: Given) => void): string {
  const b = new Builder(new Names());
  const d = b.newRef('real', 1, 'd', 'global');
  const kept = b.newRef('real', 1, 'kept', 'global');
  const copy = (from: Ref, name: string): Ref => {
    const list = b.allocate('real', [SIZE], name);
    b.for(int(0), SIZE, (i) => b.store(list, i, load(from, i)));
    return list;
  };
  const block = b.capture(() => write({ b, d, kept, copy }));
  const result = releaseMemory(block);
  verify(result);
  const inputs = [{ ref: d, elements: DATA }];
  assert.equal(targetOf([result], inputs), targetOf([block], inputs));
  return outline(result);
}

function outline(block: Block): string {
  const parts = block.flatMap((statement) => {
    switch (statement.kind) {
      case 'allocate':
        return [statement.ref.name];
      case 'target':
        return ['target'];
      case 'arena':
        return [`[${outline(statement.body)}]`];
      case 'if':
        return [`if (${outline(statement.then)})`];
      default:
        return [];
    }
  });
  return parts.join(' ');
}

function add({ b }: Given, ref: Ref): void {
  b.target(load(ref, int(1)));
}

function keep({ b, kept, d }: Given): void {
  b.allocateRef(kept, [SIZE]);
  b.for(int(0), SIZE, (i) => b.store(kept, i, load(d, i)));
}

describe('memory of lists', () => {
  it('is released after the last statement that reads them', () => {
    const regions = regionsOf((given) => {
      add(given, given.copy(given.d, 'one'));
      add(given, given.copy(given.d, 'two'));
      add(given, given.d);
    });
    assert.equal(regions, '[one target] [two target] target');
  });
  it('is released together if lists overlap', () => {
    const regions = regionsOf((given) => {
      const one = given.copy(given.d, 'one');
      const two = given.copy(one, 'two');
      const three = given.copy(given.d, 'three');
      add(given, three);
      add(given, two);
      add(given, given.d);
    });
    assert.equal(regions, '[one two [three target] target] target');
  });
  it('stays if a list that is allocated later stays', () => {
    const regions = regionsOf((given) => {
      const one = given.copy(given.d, 'one');
      keep(given);
      add(given, one);
    });
    assert.equal(regions, 'one kept target');
  });
  it('is released if lists that stay are allocated earlier', () => {
    const regions = regionsOf((given) => {
      keep(given);
      add(given, given.copy(given.kept, 'one'));
      add(given, given.kept);
    });
    assert.equal(regions, 'kept [one target] target');
  });
  it('is released inside a condition', () => {
    const regions = regionsOf((given) => {
      const { b, d } = given;
      const one = given.copy(d, 'one');
      b.if(compare('gt', load(one, int(0)), real(0)), () => {
        keep(given);
        add(given, given.copy(d, 'two'));
        add(given, given.kept);
      });
    });
    assert.equal(regions, 'one if (kept [two target] target)');
  });
  it('is not released while a view refers to it', () => {
    const regions = regionsOf((given) => {
      const { b, d } = given;
      const one = given.copy(d, 'one');
      const view = b.newRef('real', 1, 'view', 'local', one);
      b.emit({ kind: 'view', ref: view, offset: int(1), sizes: [int(2)] });
      add(given, given.copy(d, 'two'));
      add(given, view);
      add(given, d);
    });
    assert.equal(regions, '[one [two target] target] target');
  });
});
