import type { FailureDetail } from '../model/failure-detail.js';
import type { Refused } from './request.js';

/**
 * The program, its data or its inputs caused an error at run time. The message is the program's, with the preceding
 * warnings.
 */
export class RunError extends Error {
  override readonly name = 'RunError';
  /** The error as data: its code, and the variable or the location of the program, if known. */
  readonly detail: FailureDetail;

  constructor({ detail, message }: Pick<Refused, 'detail' | 'message'>) {
    super(message);
    this.detail = detail;
  }
}
