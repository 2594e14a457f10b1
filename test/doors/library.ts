/** Driver for the JavaScript library, with worker threads. */
import assert from 'node:assert/strict';
import { close, compile, type Fit, type Model } from 'leapfrog';
import { type Door, type DoorFit, type SampleRequest, type Session, USUAL } from './door.js';

interface LibraryFit extends DoorFit {
  readonly fit: Fit;
}

export const libraryDoor: Door<LibraryFit> = { name: 'the library', open: async () => new LibrarySession() };

class LibrarySession implements Session<LibraryFit> {
  private readonly models = new Map<string, Promise<Model>>();

  readonly sample = async (request: SampleRequest<LibraryFit>): Promise<LibraryFit> => {
    const run = await this.start(request);
    const fit = await run.result();
    const lines = new Map<number, string>();
    for await (const event of run) if (event.kind === 'log') lines.set(event.chain, event.text);
    const width = fit.columns.length;
    return {
      fit,
      columns: fit.columns,
      chains: fit.chains.map(({ draws, id, values, warmup }) => ({
        id,
        draws: Array.from({ length: draws }, (_, row) => [
          ...values.subarray((warmup + row) * width, (warmup + row + 1) * width),
        ]),
        lastLine: lines.get(id) ?? '',
      })),
    };
  };

  async refusal(request: SampleRequest<LibraryFit>): Promise<string> {
    const problem = await (await this.start(request)).result().then(
      () => undefined,
      (error: unknown) => error,
    );
    assert.ok(problem instanceof Error);
    return problem.message;
  }

  async close(): Promise<void> {
    close();
  }

  private async start(request: SampleRequest<LibraryFit>) {
    const { continue: continued, metric, program, warm_start, ...rest } = { ...USUAL, ...request };
    const model = this.models.get(program) ?? compile(program);
    this.models.set(program, model);
    return (await model).runMethod('sample', {
      ...rest,
      metric,
      ...(continued && { continue: continued.fit }),
      ...(warm_start && { warm_start: warm_start.fit }),
    });
  }
}
