import type { Compiler } from '../chain/compiler.js';
import { checkInputs } from '../chain/inputs.js';
import type { ModelHost } from '../chain/model-host.js';
import { refusalOf } from '../chain/refusal.js';
import type { InputsCheck, InputsRequest } from '../chain/request.js';
import { parseStanData } from '../formats/stan-json.js';
import { logEvidenceOf } from '../studies/evidence.js';
import { crossValidateMatched } from '../studies/moment-match.js';
import { observedIn } from '../studies/observed-outcomes.js';
import { FunctionCaller } from './calls/function-call.js';
import type { Engine } from './engine.js';
import { profileProgram } from './program-profile.js';
import { runRequest } from './run-request.js';

/** An engine that consists of a compiler and its models, both in this process. */
export function inProcessEngine(compiler: Compiler, models: ModelHost): Engine {
  const caller = new FunctionCaller(compiler, models);
  return {
    call: async (call, limits) => caller.call(call, limits),
    crossValidate: async (request, limits) => crossValidateMatched(compiler, models, request, limits),
    logEvidence: async (request, limits) => logEvidenceOf(compiler, models, request, limits),
    observe: async (request) => observedIn(request),
    profile: async (request, limits) => profileProgram(compiler, models, request, limits),
    compile: async (source, options) => compiler.compile(source, options),
    describe: async (source, pedantic, explains) => compiler.describe(source, pedantic, explains),
    checkInputs: async (request) => inspectInputs(models, request),
    run: async (functionName, request, sink) => runRequest(models, functionName, request, sink),
    models,
  };
}

/** Reports errors in the inputs of a run. Instantiates the model with `models` if the data must be checked or bound. */
export function inspectInputs(models: ModelHost, request: InputsRequest): InputsCheck {
  const options = { seed: request.bindingSeed ?? 0, print: () => undefined, ...request.limits };
  const makeModel = () => models.instantiate(request.model, parseStanData(request.data), options);
  try {
    return { kind: 'inputs', ...checkInputs(request, models.outputs(request.model.artifact), makeModel) };
  } catch (error) {
    const refusal = refusalOf(models, error);
    if (refusal === undefined) throw error;
    return refusal;
  }
}
