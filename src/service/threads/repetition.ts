/** Omits the model and the data of an evaluation from a message if they are those of the thread's last message. */
import type { OnData } from '../../chain/evaluation.js';
import type { Job } from './protocol.js';

/** Maximum number of characters of data that are kept for comparison. */
const LONGEST_DATA = 1 << 20;

/** The sending side; one per thread. */
export class Sender {
  private last: OnData | undefined;

  shorten(job: Job): Job {
    if (!('on' in job) || job.on === undefined) return job;
    const { data, model, threads } = job.on;
    if (this.last?.model === model && this.last.threads === threads && this.last.data === data)
      return { ...job, on: undefined };
    this.last = data.length > LONGEST_DATA ? undefined : job.on;
    return job;
  }
}

/** The receiving side. It must receive every job that was posted, in order. */
export class Receiver {
  private last: OnData | undefined;

  complete(job: Job): Job {
    if (!('on' in job)) return job;
    if (job.on === undefined) return { ...job, on: this.last };
    this.last = job.on;
    return job;
  }
}
