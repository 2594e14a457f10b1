/** Driver for the JavaScript library, with worker threads. */
import assert from 'node:assert/strict';
import { close, compare, compile, type Fit, type LeaveOneOut, type Model } from 'leapfrog';
import {
  type CalibrationRequest,
  type ComparedFits,
  calibrationFields,
  type Door,
  type DoorCalibration,
  type DoorCompared,
  type DoorFit,
  type DoorGradient,
  type DoorObservation,
  type DoorRefits,
  type DoorStatement,
  doorCalibration,
  doorCompared,
  doorStatements,
  type GradientRequest,
  messageOf,
  PROFILED,
  type ProfileRequest,
  REFITTED,
  type SampleRequest,
  type Session,
  SLICED,
  USUAL,
} from './door.js';

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
    return messageOf((await this.start(request)).result());
  }

  async calibrate({ program = USUAL.program, ...request }: CalibrationRequest): Promise<DoorCalibration> {
    const { message, ok, quantities } = await (await this.model(program)).sbc(calibrationFields(request));
    return doorCalibration(ok, message, quantities);
  }

  async calibrationRefusal(request: CalibrationRequest): Promise<string> {
    return messageOf(this.calibrate(request));
  }

  async matched({ fit }: LibraryFit): Promise<readonly DoorObservation[]> {
    const model = await this.model(USUAL.program);
    const { observations } = await model.loo(fit, USUAL.data, { momentMatch: true });
    return observations.map(({ elpd, name, paretoK }) => ({ name, elpd, paretoK }));
  }

  async refitted(folds: number): Promise<DoorRefits> {
    const { message, observations } = await (await this.model(USUAL.program)).kfold({ ...REFITTED, folds });
    return { message, observations: observations.map(({ elpd, fold, name }) => ({ name, fold, elpd })) };
  }

  async refitRefusal(folds: number): Promise<string> {
    return messageOf(this.refitted(folds));
  }

  async exact({ fit }: LibraryFit): Promise<readonly DoorObservation[]> {
    const model = await this.model(USUAL.program);
    const { data, ...sampler } = REFITTED;
    const { observations } = await model.loo(fit, data, { exact: sampler });
    return observations.map(({ elpd, name, paretoK }) => ({ name, elpd, paretoK }));
  }

  async compare(fits: ComparedFits<LibraryFit>): Promise<readonly DoorCompared[]> {
    const loos: Record<string, LeaveOneOut> = {};
    for (const [name, { data = USUAL.data, fit, program = USUAL.program }] of Object.entries(fits))
      loos[name] = await (await this.model(program)).loo(fit.fit, JSON.stringify(data));
    return doorCompared(compare(loos).models);
  }

  async comparisonRefusal(fits: ComparedFits<LibraryFit>): Promise<string> {
    return messageOf(this.compare(fits));
  }

  async profile({ program = USUAL.program, ...request }: ProfileRequest): Promise<readonly DoorStatement[]> {
    const { data, ...fields } = { ...PROFILED, ...request };
    const { statements } = await (await this.model(program)).profile({ ...fields, data: JSON.stringify(data) });
    return doorStatements(statements);
  }

  async profileRefusal(request: ProfileRequest): Promise<string> {
    return messageOf(this.profile(request));
  }

  async gradient({ point, threads }: GradientRequest): Promise<DoorGradient> {
    const model = await this.model(SLICED.program);
    const posterior = await model.on(SLICED.data, threads === undefined ? {} : { threads });
    const { gradient, logDensity } = posterior.gradient(point, { propto: true });
    assert.equal(posterior.logDensity(point, { propto: true }), logDensity);
    posterior.close();
    assert.equal(posterior.logDensity(point, { propto: true }), logDensity);
    return { logDensity, gradient: [...gradient] };
  }

  async gradientRefusal(request: GradientRequest): Promise<string> {
    return messageOf(this.gradient(request));
  }

  async close(): Promise<void> {
    close();
  }

  private async start(request: SampleRequest<LibraryFit>) {
    const { continue: continued, prior, program, warm_start, ...rest } = { ...USUAL, ...request };
    const fields = {
      ...rest,
      ...(continued && { continue: continued.fit }),
      ...(warm_start && { warm_start: warm_start.fit }),
    };
    const model = await this.model(program);
    return prior === true ? model.runDerived('prior', fields) : model.runMethod('sample', fields);
  }

  private model(program: string): Promise<Model> {
    const model = this.models.get(program) ?? compile(program);
    this.models.set(program, model);
    return model;
  }
}
