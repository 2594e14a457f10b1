import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { CompiledModel } from '../../chain/model-host.js';
import type { Job } from './protocol.js';
import { Receiver, Sender } from './repetition.js';

const module = new WebAssembly.Module(Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0));
const models: readonly CompiledModel[] = ['a', 'b'].map((id) => ({ id, artifact: '{}', module }));

function evaluation(model: CompiledModel, data: string): Job {
  return { kind: 'gradient', on: { model, data }, position: [1], jacobian: true, style: 'string' };
}

describe('the model and the data of evaluations', () => {
  it('are sent once and are part of every job', () => {
    const [a, b] = models;
    const jobs: readonly Job[] = [
      evaluation(a, '{}'),
      evaluation(a, '{}'),
      { kind: 'read', bytes: new Uint8Array() },
      evaluation(a, '{}'),
      evaluation(a, '{"x":1}'),
      evaluation(b, '{"x":1}'),
      evaluation(a, '{"x":1}'),
    ];
    const sender = new Sender();
    const receiver = new Receiver();
    const sent = jobs.map((job) => sender.shorten(job));
    assert.deepEqual(
      sent.map((job) => 'on' in job && job.on !== undefined),
      [true, false, false, false, true, true, true],
    );
    assert.deepEqual(
      sent.map((job) => receiver.complete(job)),
      jobs,
    );
  });

  it('are sent again if they are too long to be cached', () => {
    const job = evaluation(models[0], `{"x":"${'x'.repeat(1 << 20)}"}`);
    const sender = new Sender();
    assert.deepEqual([sender.shorten(job), sender.shorten(job)], [job, job]);
  });
});
