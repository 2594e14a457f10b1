import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { algorithms } from '../../src/inference/algorithms/registry.js';
import { fakeEngine, TestServer } from './harness.js';

const TOKEN = 'secret';

/** The schemas directly within a schema, by property. */
function innerSchemas(schema: object): [string, object][] {
  const found: [string, unknown][] = [];
  if ('properties' in schema && typeof schema.properties === 'object')
    found.push(...Object.entries(schema.properties ?? {}));
  if ('items' in schema) found.push(['items', schema.items]);
  for (const [name, union] of Object.entries(schema)) {
    if ((name === 'anyOf' || name === 'oneOf') && Array.isArray(union))
      found.push(...union.map((each): [string, unknown] => [name, each]));
  }
  return found.flatMap(([name, inner]) => (typeof inner === 'object' && inner !== null ? [[name, inner]] : []));
}

for (const token of [undefined, TOKEN]) {
  describe(`the OpenAPI page of a server ${token === undefined ? 'without authentication' : 'with a token'}`, () => {
    let server: TestServer;
    // biome-ignore lint/suspicious/noExplicitAny: test/client/generated.slow.test.ts lints the document
    let page: any;
    before(async () => {
      server = await TestServer.start({ engine: fakeEngine, token });
      page = (await server.request('GET', '/v1/openapi.json', undefined, { authorization: `Bearer ${TOKEN}` })).json;
    });
    after(() => server.remove());

    it('has a unique identifier for each operation, and each named schema once', () => {
      const operations = Object.values<object>(page.paths).flatMap((path) => Object.values(path));
      const identifiers = operations.map(({ operationId }) => operationId);
      assert.ok(identifiers.every((identifier) => /^[a-z]+([A-Z][a-z]+)*$/.test(identifier)));
      assert.equal(new Set(identifiers).size, operations.length);
      assert.equal(
        page.paths['/v1/models/{model_id}'].get.responses[200].content['application/json'].schema.$ref,
        '#/components/schemas/DescribedModel',
      );
      assert.doesNotMatch(JSON.stringify(page.components.schemas), /"title":"/);
    });

    it('names nested schemas, for which generators would otherwise invent names', () => {
      const nameless: string[] = [];
      const look = (schema: object, place: string): void => {
        if ('properties' in schema || 'anyOf' in schema || 'oneOf' in schema) nameless.push(place);
        for (const [name, inner] of innerSchemas(schema)) look(inner, `${place}.${name}`);
      };
      for (const [name, schema] of Object.entries<object>(page.components.schemas)) {
        for (const [field, inner] of innerSchemas(schema)) look(inner, `${name}.${field}`);
      }
      assert.deepEqual(nameless, []);
    });

    it('describes the arguments of each function', () => {
      const { schemas } = page.components;
      const { discriminator } = schemas.FitRequest;
      const bodies: { $ref: string }[] = schemas.FitRequest.oneOf;
      assert.equal(bodies.length, algorithms.length);
      assert.equal(discriminator.propertyName, 'function');
      assert.equal(discriminator.mapping['stan::services::optimize::lbfgs'], '#/components/schemas/LbfgsRequest');
      assert.deepEqual(
        [...new Set(Object.values(discriminator.mapping))],
        bodies.map(({ $ref }) => $ref),
      );
      const { properties, required, additionalProperties } = schemas.LbfgsRequest;
      assert.deepEqual(properties.function.enum, [
        'stan::services::optimize::lbfgs',
        'engine::services::optimize::lbfgs',
      ]);
      assert.ok('history_size' in properties && !('delta' in properties));
      assert.deepEqual([required, additionalProperties], [['function'], false]);
    });

    it(token === undefined ? 'asks for nothing' : 'asks for the token, but where load balancers ask', () => {
      assert.deepEqual(page.security, token === undefined ? [] : [{ token: [] }]);
      assert.deepEqual(page.paths['/v1/health'].get.security, []);
      assert.equal('401' in page.paths['/v1/models'].get.responses, token !== undefined);
    });

    it('can be read under our name, in a browser without the token, starting at /', async () => {
      const start = await fetch(server.address, { redirect: 'manual' });
      assert.deepEqual([start.status, start.headers.get('location')], [302, '/docs']);
      const documentation = await server.get('/docs');
      assert.equal(documentation.status, 200);
      assert.match(documentation.text, /<title>Leapfrog<\/title>/);
      assert.equal(documentation.text.includes('token.js'), token !== undefined);
      assert.deepEqual((await server.get('/docs/json')).json, page);
      assert.equal((await server.get('/v1/models')).status, token === undefined ? 200 : 401);
    });
  });
}
