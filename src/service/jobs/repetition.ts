/** Evaluations on their way to a thread leave out the model and the data that the thread received last. */
import type { OnData } from '../../run/evaluation.js';
import type { Job } from './protocol.js';

/** Characters of the longest data that are kept to be compared. */
const LONGEST_DATA = 1 << 20;

/** The end that posts; one for each thread. */
export class Sender {
  private last: OnData | undefined;

  shorten(job: Job): Job {
    if (!('on' in job) || job.on === undefined) return job;
    const { model, data } = job.on;
    if (this.last?.model === model && this.last.data === data) return { ...job, on: undefined };
    this.last = data.length > LONGEST_DATA ? undefined : job.on;
    return job;
  }
}

/** The end that receives. It must see every job that was posted, in order. */
export class Receiver {
  private last: OnData | undefined;

  complete(job: Job): Job {
    if (!('on' in job)) return job;
    if (job.on === undefined) return { ...job, on: this.last };
    this.last = job.on;
    return job;
  }
}
