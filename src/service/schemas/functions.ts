/** Schemas of the functions of the services namespace. */
import { Type } from 'typebox';
import type { ArgumentDescription, FunctionDescription } from '../../requests/function-description.js';

const ArgumentSchema = Type.Unsafe<ArgumentDescription>(
  Type.Object(
    {
      name: Type.String(),
      type: Type.Enum(['integer', 'number', 'boolean', 'string', 'array'], { title: 'ArgumentType' }),
      default: Type.Optional(
        Type.Unknown({ description: 'Absent if no value is equivalent to omitting the argument.' }),
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
