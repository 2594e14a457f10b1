import { randomIdentifier } from '../../../src/service/store/identifiers.js';
import type { OperationRecord } from '../../../src/service/store/operation-record.js';

/** The record of a new, unique operation. */
export function sampleRecord(changes: Partial<OperationRecord> = {}): OperationRecord {
  return {
    id: randomIdentifier(),
    modelId: randomIdentifier(),
    function: 'stan::services::sample::fixed_param',
    seed: 1,
    arguments: { num_samples: 1 },
    data: '{"N":1}',
    inputs: {},
    chains: [{ chain: 1 }],
    created: new Date().toISOString(),
    ...changes,
  };
}
