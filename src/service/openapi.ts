import type { Readable } from 'node:stream';
import type { FastifyDynamicSwaggerOptions } from '@fastify/swagger';
import { Type } from 'typebox';

/** What the OpenAPI page says of the interface, beside the schemas of its routes. */
export function openapiOptions(version: string): FastifyDynamicSwaggerOptions {
  return {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Leapfrog',
        description: 'Compiles Stan programs to WebAssembly, evaluates them and samples from them.',
        version,
      },
    },
    transformObject: (document) => {
      if (!('openapiObject' in document)) return document.swaggerObject;
      const { openapiObject } = document;
      for (const path of Object.values(openapiObject.paths ?? {})) {
        const body = path?.post?.requestBody;
        if (body === undefined || !('content' in body)) continue;
        // The plugin calls every body required.
        body.required = Object.values(body.content).some(({ schema }) => !isFulfilledByNothing(schema));
      }
      return openapiObject;
    },
  };
}

/** Whether an absent body, which counts as an empty object, is right. */
function isFulfilledByNothing(schema: object | undefined): boolean {
  if (schema === undefined || !('type' in schema) || schema.type !== 'object') return false;
  return !('required' in schema) || (Array.isArray(schema.required) && schema.required.length === 0);
}

/** An answer that comes piece by piece, in one of these media types. */
export function streamOf(description: string, types: readonly string[]) {
  const content = Object.fromEntries(types.map((type) => [type, { schema: Type.Unsafe<Readable>(Type.String()) }]));
  return { description, content };
}
