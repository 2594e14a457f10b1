import type { Readable } from 'node:stream';
import type { FastifyDynamicSwaggerOptions } from '@fastify/swagger';
import { Type } from 'typebox';
import { STATUS_TEXTS } from '../errors.js';
import { componentReference, ErrorSchema } from '../schemas/shared.js';
import { OPEN_ROUTES } from './authorization.js';

/** Sections of the page, in their order. */
const TAGS = [
  { name: 'health', description: 'Status and versions of the server.' },
  { name: 'models', description: 'Compiled Stan programs.' },
  { name: 'evaluation', description: 'Log densities, gradients and transforms of a model with its data.' },
  { name: 'fits', description: 'Results of samplers, optimizers and approximations.' },
  { name: 'operations', description: 'Fits in progress.' },
  { name: 'cache', description: 'Disk space of models and fits.' },
];

const DESCRIPTION = 'Compiles Stan programs to WebAssembly, evaluates them and samples from them.';
const TOKEN_NOTE = 'This server requires a bearer token. Enter it under **Authorize**.';
const OWNER_NOTE =
  'Each token has its own fits and operations; those of others do not exist for it. Models belong to all tokens: deleting one deletes only the fits and operations of the token.';

/** Contents of the OpenAPI page, in addition to the schemas of its routes. */
export function openapiOptions(
  version: string,
  requiresToken: boolean,
  hasOwners: boolean,
): FastifyDynamicSwaggerOptions {
  const notes = [DESCRIPTION, ...(requiresToken ? [TOKEN_NOTE] : []), ...(hasOwners ? [OWNER_NOTE] : [])];
  return {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Leapfrog',
        description: notes.join('\n\n'),
        version,
        license: { name: 'BSD 3-Clause', identifier: 'BSD-3-Clause' },
      },
      servers: [{ url: '/', description: 'This server' }],
      tags: TAGS,
      security: requiresToken ? [{ token: [] }] : [],
      ...(requiresToken && { components: { securitySchemes: { token: { type: 'http', scheme: 'bearer' } } } }),
    },
    transformObject: (given) => {
      if (!('openapiObject' in given)) return given.swaggerObject;
      const document = given.openapiObject;
      for (const [path, { get, post, delete: remove } = {}] of Object.entries(document.paths ?? {})) {
        const operations = [get, post, remove].filter((operation) => operation !== undefined);
        for (const operation of operations) completeOperation(operation, OPEN_ROUTES.has(path), requiresToken);
      }
      const { part: paths, schemas } = takeComponents(withTypesOfEnumerations(document.paths));
      return Object.assign(document, { paths, components: { ...document.components, schemas } });
    },
  };
}

type Transformed = Parameters<NonNullable<FastifyDynamicSwaggerOptions['transformObject']>>[0];
type OpenApiDocument = Extract<Transformed, { readonly openapiObject: unknown }>['openapiObject'];
type OpenApiPath = NonNullable<NonNullable<OpenApiDocument['paths']>[string]>;
type OpenApiOperation = NonNullable<OpenApiPath['get']>;

/**
 * Adds what the plugin omits: whether the body may be absent, and errors that occur before a request reaches its route.
 */
function completeOperation(operation: OpenApiOperation, isOpen: boolean, requiresToken: boolean): void {
  const { requestBody: body, responses = {} } = operation;
  // The plugin marks every body as required.
  if (body !== undefined && 'content' in body)
    body.required = Object.values(body.content).some(({ schema }) => !isFulfilledByNothing(schema));
  if (isOpen) operation.security = [];
  responses['400'] ??= refusal();
  if (requiresToken && !isOpen) responses['401'] = refusal();
  if (!requiresToken) responses['403'] = refusal();
  for (const [code, response] of Object.entries(responses)) {
    if ('description' in response && response.description === UNDESCRIBED)
      response.description = STATUS_TEXTS.get(Number(code)) ?? '';
  }
}

/** The plugin's text for a response whose schema has no description. */
const UNDESCRIBED = 'Default Response';

function refusal() {
  return { description: UNDESCRIBED, content: { 'application/json': { schema: ErrorSchema } } };
}

/** Adds the type `string` to enumerations. Generators treat a schema without a type as any value. */
function withTypesOfEnumerations<Part>(part: Part): Part {
  return JSON.parse(JSON.stringify(part), (_key, value: unknown) => {
    const isEnumeration = typeof value === 'object' && value !== null && 'enum' in value && Array.isArray(value.enum);
    return isEnumeration && !('type' in value) ? { type: 'string', ...value } : value;
  });
}

/**
 * Moves every schema with a title from a section of the document to a component of that name, and replaces it with a
 * reference.
 */
function takeComponents<Part>(part: Part): { readonly part: Part; readonly schemas: Record<string, object> } {
  const found = new Map<string, object>();
  const replaced = JSON.parse(JSON.stringify(part), (_key, value: unknown) => {
    if (typeof value !== 'object' || value === null || !('title' in value)) return value;
    const { title, ...schema } = value;
    if (typeof title !== 'string') return value;
    const known = found.get(title) ?? schema;
    if (JSON.stringify(known) !== JSON.stringify(schema)) throw new Error(`two schemas have the title ${title}`);
    found.set(title, schema);
    return { $ref: componentReference(title) };
  });
  const schemas = Object.fromEntries([...found].sort(([a], [b]) => (a < b ? -1 : 1)));
  return { part: replaced, schemas };
}

/** Whether an absent body, which counts as an empty object, is valid. */
function isFulfilledByNothing(schema: object | undefined): boolean {
  if (schema === undefined || !('type' in schema) || schema.type !== 'object') return false;
  return !('required' in schema) || (Array.isArray(schema.required) && schema.required.length === 0);
}

/** A streamed response in one of these media types. */
export function streamOf(description: string, types: readonly string[]) {
  const content = Object.fromEntries(types.map((type) => [type, { schema: Type.Unsafe<Readable>(Type.String()) }]));
  return { description, content };
}
