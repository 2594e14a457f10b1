/**
 * The resources of the interface. Validation, the types of server and client, and the OpenAPI page all come from these schemas. A
 * schema with a title is a component of the page under that name.
 */
import { type Static, type TSchema, Type } from 'typebox';
import { STATISTICS } from '../inference/diagnostics/precision.js';
import type { ArgumentDescription, FunctionDescription } from '../run/function-description.js';

const closed = { additionalProperties: false };

type Immutable<Value> = Value extends readonly (infer Element)[]
  ? readonly Immutable<Element>[]
  : Value extends object
    ? { readonly [Name in keyof Value]: Immutable<Value[Name]> }
    : Value;

/** The same schema for an immutable value. */
function immutable<Schema extends TSchema>(schema: Schema) {
  return Type.Unsafe<Immutable<Static<Schema>>>(schema);
}

/** Where the OpenAPI description has the schema with this title. */
export function componentReference(title: string): string {
  return `#/components/schemas/${title}`;
}

export const ModelSchema = Type.Object(
  {
    name: Type.String({ description: 'models/<model_id>' }),
    compiler_output: Type.String({
      description: 'The compile log: the duration of each stage and the sizes of its output.',
    }),
    stanc_warnings: Type.String({ description: 'Warnings of the language compiler, possibly empty.' }),
  },
  { title: 'Model' },
);
export type ModelResource = Static<typeof ModelSchema>;

/** The base type and the number of dimensions of a variable; for a tuple, the types of its slots. */
export interface VariableResource {
  readonly type: string | readonly VariableResource[];
  readonly dimensions: number;
}

const Variables = Type.Record(
  Type.String(),
  Type.Object(
    {
      type: Type.Unsafe<VariableResource['type']>(
        Type.Unknown({ description: 'int, real or complex; for a tuple, the list of its slots in the same form.' }),
      ),
      dimensions: Type.Integer(),
    },
    { title: 'Variable' },
  ),
  { title: 'Variables' },
);
const Names = Type.Array(Type.String());

const InfoSchema = Type.Object(
  {
    inputs: Variables,
    parameters: Variables,
    'transformed parameters': Variables,
    'generated quantities': Variables,
    functions: Names,
    distributions: Names,
    included_files: Names,
  },
  { title: 'Info', description: "What a program declares and calls, as printed by stanc's --info." },
);

const IncludesField = Type.Optional(
  Type.Record(Type.String(), Type.String(), { title: 'Includes', description: 'Sources of included files, by name.' }),
);

export const DescribedModelSchema = immutable(
  Type.Object(
    {
      ...ModelSchema.properties,
      program_code: Type.String({ description: 'The program text.' }),
      includes: IncludesField,
      info: Type.Optional(InfoSchema),
    },
    { title: 'DescribedModel' },
  ),
);
export type DescribedModelResource = Static<typeof DescribedModelSchema>;

const DiagnosticSchema = Type.Object(
  {
    kind: Type.String({
      description:
        'lexing, syntax, include, semantic, or unsupported: valid Stan that this compiler does not support yet.',
    }),
    severity: Type.Enum(['error', 'warning'], { title: 'Severity' }),
    message: Type.String(),
    hint: Type.Optional(Type.String({ description: 'What to write instead.' })),
    text: Type.String({
      description: 'The message as the compiler prints it, with its location and, for errors, the surrounding lines.',
    }),
    file: Type.String({ description: 'The included file, or the name of the program itself: string.' }),
    line: Type.Integer({ description: 'From 1.' }),
    column: Type.Integer({ description: 'From 0, in bytes.' }),
    end_line: Type.Integer(),
    end_column: Type.Integer({ description: 'The column after the last character.' }),
  },
  { title: 'Diagnostic' },
);

const costOfStatement = {
  cost: Type.Enum(['data', 'once', 'sums', 'groups', 'distinct rows', 'rows'], {
    title: 'Cost',
    description:
      'data: computed when data are bound. once: no loop over rows. sums: the same for any number of rows. groups, distinct rows, rows: once for each.',
  }),
  by: Type.Array(Type.String(), { description: 'Variables whose values distinguish groups or rows.' }),
  terms_by: Type.Array(Type.String(), {
    description: 'Variables for whose distinct values costly terms are computed, if not for each row.',
  }),
  reasons: Type.Array(
    Type.Object(
      { against: Type.Enum(['sums', 'distinct rows'], { title: 'Compression' }), text: Type.String() },
      { title: 'CostReason' },
    ),
    { description: 'Why it does not cost less.' },
  ),
};

const statement = {
  text: Type.String({ description: 'The statement.' }),
  file: Type.String({ description: 'The included file, or the name of the program itself: string.' }),
  line: Type.Integer({ description: 'From 1.' }),
  column: Type.Integer({ description: 'From 0, in bytes.' }),
};

const CostSchema = Type.Object({ ...costOfStatement, ...statement }, { title: 'StatementCost' });

export const DescriptionSchema = immutable(
  Type.Object(
    {
      errors: Type.Array(DiagnosticSchema, { description: 'The first error. Empty if the program is valid.' }),
      warnings: Type.Array(DiagnosticSchema),
      info: Type.Optional(InfoSchema),
      formatted: Type.Optional(Type.String({ description: 'The formatted program. Absent if it cannot be parsed.' })),
      costs: Type.Optional(
        Type.Array(CostSchema, {
          description:
            'Statements that add to target, in the order of the program. Only with `explain`, if the program can be compiled.',
        }),
      ),
    },
    { title: 'Description' },
  ),
);
export type DescriptionResource = Static<typeof DescriptionSchema>;

/** The answer of a request that leaves nothing to report. */
export const EmptySchema = Type.Object({}, { title: 'Empty' });

export const ErrorSchema = Type.Object(
  {
    code: Type.Integer({ description: 'The HTTP status code.' }),
    status: Type.String({ description: 'The text of the status.' }),
    message: Type.String({ description: 'What is wrong, where, and what would be right.' }),
    details: Type.Optional(
      Type.Array(Type.Object({}, { additionalProperties: true, title: 'ErrorDetail' }), {
        description: 'One entry per problem: the field or location, and its message.',
      }),
    ),
  },
  { title: 'Error' },
);
export type ErrorResource = Static<typeof ErrorSchema>;

const Finite = Type.Array(Type.Number());

/** Step size and metric of a sampler after warmup, in the form of the arguments of the same names. */
export const AdaptationSchema = Type.Object(
  {
    stepsize: Type.Number(),
    inv_metric: Type.Optional(Type.Union([Finite, Type.Array(Finite)], { title: 'InverseMetric' })),
  },
  { title: 'Adaptation' },
);

const State = Type.Enum(['waiting', 'running', 'done'], { title: 'State' });

/** When a run stops, as in a request. */
export const UntilSchema = immutable(
  Type.Object(
    {
      ess_bulk: Type.Optional(
        Type.Number({ exclusiveMinimum: 0, description: 'Least effective sample size of means and medians.' }),
      ),
      ess_tail: Type.Optional(
        Type.Number({ exclusiveMinimum: 0, description: 'Least effective sample size of the 5 % and 95 % quantiles.' }),
      ),
      rhat: Type.Optional(Type.Number({ exclusiveMinimum: 1, description: 'Greatest R-hat.' })),
      mcse_mean: Type.Optional(
        Type.Number({
          exclusiveMinimum: 0,
          description: 'Greatest Monte Carlo standard error of the mean, in the unit of the quantity.',
        }),
      ),
      mcse_sd: Type.Optional(
        Type.Number({
          exclusiveMinimum: 0,
          description: 'Greatest Monte Carlo standard error of the standard deviation, in the unit of the quantity.',
        }),
      ),
      quantities: Type.Optional(
        Type.Array(Type.String(), {
          minItems: 1,
          description:
            'Variables or elements that must be precise; parameters, transformed parameters and the log density by default.',
        }),
      ),
      max_iterations: Type.Optional(
        Type.Integer({
          description: 'Iterations of a chain after warmup at most; 10 times num_samples by default.',
        }),
      ),
    },
    {
      additionalProperties: false,
      title: 'Until',
      description:
        'Stops the run when the draws of all chains are precise enough, which is checked after every num_samples iterations.',
    },
  ),
);

const ShortfallSchema = Type.Object(
  {
    quantity: Type.String({ description: 'A column of draws.' }),
    statistic: Type.Enum([...STATISTICS], { title: 'Statistic' }),
    value: Type.Optional(Type.Number({ description: 'Absent if the statistic cannot be computed.' })),
    limit: Type.Number(),
  },
  { title: 'Shortfall', description: 'The quantity that is furthest from its limit.' },
);

/** What is not precise enough after a number of iterations. */
export const CurrentShortfallSchema = Type.Object(
  {
    iterations: Type.Integer({ description: 'Iterations of each chain after warmup.' }),
    ...ShortfallSchema.properties,
  },
  {
    title: 'CurrentShortfall',
    description: 'The quantity that was furthest from its limit when the run was last checked.',
  },
);
export type CurrentShortfall = Static<typeof CurrentShortfallSchema>;

/** Why a run with `until` has stopped. */
export const StoppedSchema = Type.Object(
  {
    reason: Type.Enum(['precise', 'max_iterations', 'cancelled'], { title: 'StopReason' }),
    iterations: Type.Integer({ description: 'Iterations of each chain after warmup.' }),
    shortfall: Type.Optional(ShortfallSchema),
    message: Type.String({ description: 'The last line of the log.' }),
  },
  { title: 'Stopped', description: 'Why a run with until has stopped.' },
);
export type StoppedResource = Static<typeof StoppedSchema>;

/** Estimates of a quantity in a chain that is running. Not sent to clients. */
export const ChainEstimateSchema = Type.Object({
  name: Type.String(),
  halves: Type.Array(Type.Number()),
  variance: Type.Number(),
  ess: Type.Number(),
});

const RunningEstimateSchema = Type.Object(
  { name: Type.String({ description: 'A column of draws.' }), rhat: Type.Number(), ess: Type.Number() },
  { title: 'RunningEstimate' },
);

/** Progress of a chain. */
export const ChainProgressSchema = Type.Object(
  {
    chain: Type.Integer(),
    state: Type.Optional(State),
    progress: Type.Optional(Type.String({ description: "Stan's progress line." })),
    iteration: Type.Optional(Type.Integer({ description: 'Iterations done, warmup included.' })),
    iterations: Type.Optional(Type.Integer({ description: 'Total number of iterations.' })),
    draws: Type.Optional(Type.Integer({ description: 'Draws kept so far.' })),
    divergences: Type.Optional(Type.Integer({ description: 'Divergent transitions among those draws.' })),
    treedepth_hits: Type.Optional(
      Type.Integer({ description: 'Transitions to those draws that reached the greatest tree depth.' }),
    ),
    e_bfmi: Type.Optional(
      Type.Number({
        description:
          'Fraction of missing information of the draws after warmup; with until, of those of the current block.',
      }),
    ),
    step_size: Type.Optional(Type.Number()),
    seconds_left: Type.Optional(Type.Number({ description: 'An estimate.' })),
  },
  { title: 'ChainProgress' },
);

export const OperationSchema = Type.Object(
  {
    name: Type.String({ description: 'operations/<operation_id>' }),
    done: Type.Boolean({ description: 'Whether the operation has finished, successfully or not.' }),
    metadata: Type.Optional(
      Type.Object(
        {
          fit: Type.Object(
            { name: Type.String({ description: 'models/<model_id>/fits/<fit_id>' }) },
            { title: 'FitReference' },
          ),
          function: Type.String(),
          random_seed: Type.Integer(),
          progress: Type.Optional(
            Type.String({ description: "Stan's progress line of the chain that is furthest behind." }),
          ),
          state: State,
          place: Type.Optional(Type.Integer({ description: 'Position of a waiting operation in the queue, from 1.' })),
          prior: Type.Optional(Type.Literal(true, { description: 'Draws are those of the prior distribution.' })),
          simulations: Type.Optional(
            Type.Integer({
              description: 'Number of data sets of simulation-based calibration. Draws of the fit are ranks.',
            }),
          ),
          chains: Type.Array(ChainProgressSchema),
          adaptation: Type.Optional(
            Type.Array(
              Type.Object({ chain: Type.Integer(), ...AdaptationSchema.properties }, { title: 'ChainAdaptation' }),
              {
                description: "Step size and metric of a sampler's chains after warmup. Not in lists.",
              },
            ),
          ),
          estimates: Type.Optional(
            Type.Array(RunningEstimateSchema, {
              description:
                'While a sampler runs: rough R-hat and effective sample sizes of the draws after warmup (with until, of the current block), at most 5, the worst first. They cover the log density and the first 50 parameters.',
            }),
          ),
          shortfall: Type.Optional(CurrentShortfallSchema),
          stopped: Type.Optional(StoppedSchema),
          kept: Type.Optional(
            Type.Object(
              { name: Type.String({ description: 'models/<model_id>/fits/<fit_id>' }) },
              { title: 'KeptFit', description: 'The fit with the draws of a cancelled run with on_cancel keep.' },
            ),
          ),
          created: Type.String({ description: 'When the request was accepted (ISO 8601).' }),
          ended: Type.Optional(Type.String()),
        },
        { title: 'OperationMetadata' },
      ),
    ),
    result: Type.Optional(
      Type.Object(
        { name: Type.Optional(Type.String()), ...Type.Partial(ErrorSchema).properties },
        { title: 'OperationResult', description: 'The fit, or the error if the operation failed.' },
      ),
    ),
  },
  { title: 'Operation' },
);
export type OperationResource = Static<typeof OperationSchema>;

const ArgumentSchema = Type.Unsafe<ArgumentDescription>(
  Type.Object(
    {
      name: Type.String(),
      type: Type.Enum(['integer', 'number', 'boolean', 'string', 'array'], { title: 'ArgumentType' }),
      default: Type.Optional(
        Type.Unknown({ description: 'Absent if leaving the argument out has a meaning of its own.' }),
      ),
      minimum: Type.Optional(Type.Number()),
      exclusiveMinimum: Type.Optional(Type.Number()),
      maximum: Type.Optional(Type.Number()),
      exclusiveMaximum: Type.Optional(Type.Number()),
      choices: Type.Optional(Type.Array(Type.String(), { description: 'Allowed values of a string.' })),
      depth: Type.Optional(
        Type.Integer({ description: 'Dimensions of an array of numbers: 1, or 2 for an array of rows.' }),
      ),
      elements: Type.Optional(Type.Literal('string', { description: 'Element type of an array of names.' })),
      description: Type.String(),
    },
    { title: 'Argument' },
  ),
);

export const FunctionSchema = Type.Unsafe<FunctionDescription>(
  Type.Object(
    {
      name: Type.String({ description: 'stan::services::…' }),
      short_name: Type.String(),
      description: Type.String(),
      inputs: Type.Array(
        Type.Object(
          {
            name: Type.Enum(['init', 'warm_start', 'continue', 'mode', 'fitted_params'], { title: 'InputName' }),
            required: Type.Boolean(),
            description: Type.String(),
          },
          { title: 'Input' },
        ),
        { description: 'Inputs other than arguments: values, or the name of a fit.' },
      ),
      arguments: Type.Array(ArgumentSchema),
      draws: Type.Enum(['all', 'generated quantities'], { description: 'The variables in its draws.' }),
    },
    { title: 'Function' },
  ),
);
export type FunctionResource = FunctionDescription;

/** Entries that a list leaves out. */
export const DamagedField = Type.Optional(
  Type.Array(Type.String(), {
    description: 'Entries left out because their records on disk are corrupt, and how to repair them.',
  }),
);

export const ModelParameters = Type.Object({ model_id: Type.String() });
export const FitParameters = Type.Object({ model_id: Type.String(), fit_id: Type.String() });
export const OperationParameters = Type.Object({ operation_id: Type.String() });

export const FunctionParameters = Type.Object({ model_id: Type.String(), function_name: Type.String() });

export const NumbersQuery = Type.Object({
  nonfinite: Type.Optional(
    Type.Enum(['string', 'literal', 'null'], {
      title: 'NonFiniteStyle',
      description: 'How NaN and infinities are written: as strings, as bare tokens, or as null.',
    }),
  ),
});

export const EventsQuery = Type.Object({
  ...NumbersQuery.properties,
  draws: Type.Optional(Type.Enum(['true', 'false'], { description: 'Whether draws are also sent.' })),
});

/** Selects draws of a fit. */
const drawsQuery = {
  variables: Type.Optional(
    Type.String({ description: 'Variables or single columns, separated by commas: theta,mu or theta.1.' }),
  ),
  chain: Type.Optional(
    Type.String({ pattern: '^\\d{1,10}$', description: 'The id of one chain. All chains by default.' }),
  ),
  first: Type.Optional(
    Type.String({ pattern: '^[1-9]\\d{0,14}$', description: 'The first draw of each chain, counted from 1.' }),
  ),
  last: Type.Optional(Type.String({ pattern: '^[1-9]\\d{0,14}$', description: 'The last draw of each chain.' })),
};

export const ReportQuery = Type.Object({ ...NumbersQuery.properties, ...drawsQuery });

export const FitQuery = Type.Object({
  ...NumbersQuery.properties,
  ...drawsQuery,
  warmup: Type.Optional(
    Type.Enum(['true', 'false'], {
      description:
        'Whether the rows before the draws are sent: saved draws of warmup, the mean of a variational approximation, iterations of an optimizer. By default they are.',
    }),
  ),
  format: Type.Optional(
    Type.Enum(['ndjson', 'csv', 'arrow'], {
      description: "Messages, CmdStan's CSV, or an Arrow IPC stream. The Accept header selects the default.",
    }),
  ),
  follow: Type.Optional(Type.Enum(['true', 'false'], { description: 'Stream the messages of an unfinished fit.' })),
});

const DATA =
  "Stan's JSON data format: one member per variable, nested arrays, and non-finite numbers as strings or bare tokens.";

/** The main thread keeps data and initial values as text; a worker parses them. */
export const DataField = Type.Unknown({ description: DATA });

export const NumberValue = Type.Union(
  [
    Type.Number(),
    Type.Enum(['NaN', 'Inf', '+Inf', '-Inf', 'Infinity', '+Infinity', '-Infinity'], { title: 'NonFinite' }),
  ],
  { title: 'Number' },
);
export const NumberArray = Type.Array(NumberValue, { title: 'Point', description: 'The unconstrained parameters.' });

const point = {
  data: Type.Optional(DataField),
  unconstrained_parameters: NumberArray,
  adjust_transform: Type.Optional(
    Type.Boolean({ default: true, description: 'Whether the Jacobian of the constraining transforms is included.' }),
  ),
};
export const PointBody = Type.Union([NumberArray, Type.Object(point, { ...closed, title: 'PointOnData' })], {
  title: 'PointRequest',
});

export const WriteArrayBody = Type.Union(
  [
    NumberArray,
    Type.Object(
      {
        ...point,
        include_tparams: Type.Optional(Type.Boolean({ default: true })),
        include_gqs: Type.Optional(Type.Boolean({ default: true })),
        random_seed: Type.Optional(Type.Integer({ minimum: 0, maximum: 4294967295 })),
      },
      { ...closed, title: 'WriteArrayPoint' },
    ),
  ],
  { title: 'WriteArrayRequest' },
);

export const DataBody = Type.Object({ data: Type.Optional(DataField) }, { ...closed, title: 'DataRequest' });

export const PredictiveBody = Type.Object(
  {
    data: Type.Optional(DataField),
    random_seed: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 2 ** 32 - 1, description: 'Seed of replicated data; 1 unless given.' }),
    ),
  },
  { ...closed, title: 'PredictiveRequest' },
);

export const TransformInitsBody = Type.Object(
  { data: Type.Optional(DataField), constrained_parameters: Type.Unknown({ description: DATA }) },
  { ...closed, title: 'TransformInitsRequest' },
);

export const CallBody = Type.Object(
  {
    arguments: Type.Optional(
      Type.Unknown({ description: 'An array with a value for each parameter, in the JSON format of Stan.' }),
    ),
    signature: Type.Optional(
      Type.Array(Type.String(), {
        description: 'Types of the parameters, to choose an overload: ["vector", "array[] int"].',
      }),
    ),
    random_seed: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 4294967295,
        description: 'Seed of a function whose name ends in _rng. Random by default.',
      }),
    ),
  },
  { ...closed, title: 'CallRequest' },
);

export const ProfileBody = Type.Object(
  {
    data: Type.Optional(DataField),
    unconstrained_parameters: Type.Optional(NumberArray),
    evaluations: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1_000_000_000,
        description:
          'How often the gradient of each part of the program is timed. By default about a second of evaluations, at least 5 of each.',
      }),
    ),
    random_seed: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 4294967295,
        default: 1,
        description: 'Seed of the point, if none is given, and of random numbers in transformed data.',
      }),
    ),
  },
  { ...closed, title: 'ProfileRequest' },
);

const nanoseconds = Type.Number({ description: 'In one evaluation of the log density and its gradient.' });
const share = Type.Number({ description: 'Fraction of the time of the gradient.' });

export const ProfileSchema = Type.Object(
  {
    nanoseconds,
    evaluations: Type.Integer({ description: 'How often the gradient was timed.' }),
    statements: Type.Array(
      Type.Object(
        {
          nanoseconds,
          share,
          executions: Type.Integer({
            description: 'How often its code is executed: once for each iteration of the loops that it runs in.',
          }),
          cost: Type.Optional(Type.Object(costOfStatement, { title: 'CostOfStatement' })),
          ...statement,
          end_line: Type.Integer(),
        },
        { title: 'StatementTime' },
      ),
      { description: 'In the order of the program.' },
    ),
    other: Type.Object({ nanoseconds, share }, { title: 'OtherTime', description: 'What no statement takes.' }),
  },
  { title: 'Profile' },
);
export type ProfileResource = Static<typeof ProfileSchema>;

const source = { program_code: Type.String({ description: 'The program text.' }), includes: IncludesField };

export const CompileBody = Type.Object(source, { ...closed, title: 'CompileRequest' });

export const DescribeBody = Type.Object(
  {
    ...source,
    pedantic: Type.Optional(
      Type.Boolean({ default: false, description: 'Whether to include the warnings of --warn-pedantic.' }),
    ),
    explain: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'Whether to include what each statement that adds to target costs.',
      }),
    ),
  },
  { ...closed, title: 'DescribeRequest' },
);

const Numbers = Type.Array(NumberValue);

export const ParametersSchema = Type.Object(
  {
    id: Type.Optional(Type.String({ description: "The model's name." })),
    name: Type.String({ description: "The model's name." }),
    params: Type.Array(
      Type.Object(
        {
          name: Type.String(),
          dims: Type.Array(Type.Integer()),
          constrained_names: Type.Array(Type.String()),
        },
        { title: 'Parameter' },
      ),
    ),
  },
  { title: 'Parameters' },
);
export type ParametersResource = Static<typeof ParametersSchema>;
export const LogDensitySchema = Type.Object({ log_prob: NumberValue }, { title: 'LogDensity' });
export const GradientSchema = Type.Object(
  { log_prob: NumberValue, grad_log_prob: Numbers, log_prob_grad: Numbers },
  { title: 'LogDensityGradient' },
);
export const WrittenArraySchema = Type.Object({ params_r_constrained: Numbers }, { title: 'ConstrainedParameters' });
export const UnconstrainedSchema = Type.Object(
  { params_r_unconstrained: Numbers },
  { title: 'UnconstrainedParameters' },
);

export const FunctionValueSchema = Type.Object(
  {
    result: Type.Unknown({ description: 'In the JSON format of Stan; null for a function that returns nothing.' }),
    type: Type.String({ description: "Stan's type of the result." }),
    signature: Type.String({ description: 'The function that was called, with its types.' }),
    output: Type.String({ description: 'What the function printed.' }),
    random_seed: Type.Optional(Type.Integer({ description: 'Seed of a function whose name ends in _rng.' })),
  },
  { title: 'FunctionValue' },
);
export type FunctionValueResource = Static<typeof FunctionValueSchema>;

const ArgumentValues = Type.Record(Type.String(), Type.Unknown(), { title: 'ArgumentValues' });

export const FitSchema = Type.Object(
  {
    name: Type.String({ description: 'models/<model_id>/fits/<fit_id>' }),
    function: Type.String(),
    arguments: Type.Unsafe<object>(ArgumentValues),
    random_seed: Type.Integer(),
    prior: Type.Optional(Type.Literal(true, { description: 'Draws are those of the prior distribution.' })),
    simulations: Type.Optional(
      Type.Integer({ description: 'Number of data sets of simulation-based calibration. Draws of the fit are ranks.' }),
    ),
    chains: Type.Array(Type.Integer()),
    stopped: Type.Optional(StoppedSchema),
    created: Type.String({ description: 'When the request was accepted (ISO 8601).' }),
    ended: Type.Optional(Type.String()),
    bytes: Type.Integer({ description: 'On disk.' }),
  },
  { title: 'Fit' },
);
export type FitResource = Static<typeof FitSchema>;

export const SummarySchema = Type.Object(
  {
    name: Type.String({ description: 'models/<model_id>/fits/<fit_id>' }),
    chains: Type.Array(Type.Integer()),
    draws: Type.Integer({ description: 'Draws per chain after warmup.' }),
    stopped: Type.Optional(StoppedSchema),
    variables: Type.Array(
      Type.Object(
        {
          name: Type.String(),
          mean: NumberValue,
          mcse_mean: NumberValue,
          sd: NumberValue,
          mcse_sd: NumberValue,
          q5: NumberValue,
          q50: NumberValue,
          q95: NumberValue,
          ess_bulk: NumberValue,
          ess_tail: NumberValue,
          rhat: NumberValue,
        },
        { title: 'VariableSummary' },
      ),
    ),
  },
  { title: 'Summary' },
);
export type SummaryResource = Static<typeof SummarySchema>;

export const StatementSchema = Type.Object(
  {
    key: Type.String({ description: 'Identifies the sentence.' }),
    values: Type.Record(Type.String(), Type.Union([Type.String(), Type.Number()]), {
      title: 'StatementValues',
      description: 'The names and numbers in the sentence.',
    }),
  },
  { title: 'Statement', description: 'A sentence as data, for other languages.' },
);

export const DiagnosisSchema = Type.Object(
  {
    name: Type.String({ description: 'models/<model_id>/fits/<fit_id>' }),
    ok: Type.Boolean({ description: 'Whether no problems were found.' }),
    findings: Type.Array(
      Type.Object(
        {
          check: Type.Enum(['draws', 'divergences', 'treedepth', 'energy', 'rhat', 'ess'], { title: 'Check' }),
          ok: Type.Boolean(),
          message: Type.String({ description: 'The problem, and what to do about it.' }),
          statements: Type.Array(StatementSchema, { description: 'The sentences of the message.' }),
          concerns: Type.Array(
            Type.Object(
              {
                name: Type.String(),
                value: NumberValue,
                chain: Type.Optional(Type.Integer({ description: 'The id, if a chain is concerned.' })),
              },
              { title: 'Concern' },
            ),
            { description: 'Quantities or chains concerned, the worst first, at most 100.' },
          ),
          limit: Type.Optional(
            Type.Number({
              description:
                'The limit that the values violate, such as the maximum R-hat or the minimum effective sample size.',
            }),
          ),
        },
        { title: 'Finding' },
      ),
    ),
    text: Type.String({ description: 'All messages, one per paragraph.' }),
    stopped: Type.Optional(StoppedSchema),
  },
  { title: 'Diagnosis' },
);
export type DiagnosisResource = Static<typeof DiagnosisSchema>;

const Usage = Type.Object({ count: Type.Integer(), bytes: Type.Integer() }, { title: 'Usage' });

export const CacheSchema = Type.Object(
  {
    bytes: Type.Integer({ description: 'Disk space of models and fits.' }),
    limit: Type.Integer({ description: 'Limit for models and fits (--cache-size).' }),
    models: Usage,
    fits: Usage,
  },
  { title: 'Cache' },
);
export type CacheResource = Static<typeof CacheSchema>;

/** Error answers of a route, for the OpenAPI page. */
export function failures(...codes: (400 | 404 | 429 | 503)[]): Record<number, typeof ErrorSchema> {
  return Object.fromEntries(codes.map((code) => [code, ErrorSchema]));
}
