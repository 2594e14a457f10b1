import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Client } from '../../src/client/index.js';
import { fakeEngine, TestServer } from './harness.js';

const FIXED = 'stan::services::sample::fixed_param';
const FITS = 7;

interface Named {
  readonly name: string;
}

describe('a list', () => {
  let server: TestServer;
  let model: string;
  const lists = () => [
    { path: '/v1/models', member: 'models' },
    { path: `${model}/fits`, member: 'fits' },
    { path: '/v1/operations', member: 'operations' },
  ];
  before(async () => {
    server = await TestServer.start({ engine: fakeEngine });
    for (const program of ['normal', 'normal 2', 'normal 3', 'endless-draw']) model = await server.model(program);
    await server.post(`${model}/fits`, { function: FIXED, num_samples: 10, random_seed: 1 });
    model = await server.model('normal');
    for (let k = 0; k < FITS; k++) await make(k);
  });
  after(() => server.remove());

  async function make(seed: number): Promise<void> {
    const { json } = await server.post(`${model}/fits`, { function: FIXED, num_samples: 10, random_seed: seed });
    await server.finished(json.name);
  }

  async function page(path: string, member: string, query: string): Promise<{ items: Named[]; next?: string }> {
    const { json, status, text } = await server.get(`${path}?${query}`);
    assert.equal(status, 200, text);
    return { items: json[member], next: json.next_page_token };
  }

  test('is the same whole and page by page', async () => {
    for (const { path, member } of lists()) {
      const whole = await page(path, member, '');
      assert.equal(whole.next, undefined);
      for (const size of [1, 2, 3, whole.items.length, 1000]) {
        const items: Named[] = [];
        let pages = 0;
        for (let query = `page_size=${size}`; query !== ''; pages++) {
          const { items: more, next } = await page(path, member, query);
          items.push(...more);
          query = next === undefined ? '' : `page_size=${size}&page_token=${next}`;
        }
        assert.deepEqual(items, whole.items);
        assert.equal(pages, Math.ceil(whole.items.length / size));
      }
    }
  });

  test('lists the newest fit first, and running ones before finished ones', async () => {
    const fits = (await server.get(`${model}/fits`)).json.fits;
    assert.deepEqual(
      fits.map(({ random_seed }: { random_seed: number }) => random_seed),
      [6, 5, 4, 3, 2, 1, 0],
    );
    const operations = (await server.get('/v1/operations')).json.operations;
    assert.deepEqual(
      operations.map(({ done }: { done: boolean }) => done),
      [false, ...new Array<boolean>(FITS).fill(true)],
    );
  });

  test('continues at its position even if its last entry was deleted and others were added', async () => {
    for (const { path, member } of lists().slice(1)) {
      const { items } = await page(path, member, '');
      const first = await page(path, member, 'page_size=3');
      await server.delete(`/v1/${items[2].name}`);
      await make(member === 'fits' ? 100 : 101);
      const rest = await page(path, member, `page_token=${first.next}`);
      const old = new Set(items.map(({ name }) => name));
      assert.deepEqual(
        rest.items.filter(({ name }) => old.has(name)),
        items.slice(3),
      );
    }
  });

  test('rejects invalid sizes and tokens', async () => {
    for (const { path } of lists()) {
      for (const query of ['page_size=0', 'page_size=1001', 'page_size=x', 'page_token=%FF', 'page_token=']) {
        const { status, text } = await server.get(`${path}?${query}`);
        assert.equal(status, 400, text);
        assert.match(text, /page_(size|token)/);
      }
    }
  });

  test('is iterated by the client', async () => {
    const client = new Client(server.address);
    const collect = async <Item>(items: AsyncIterable<Item>): Promise<Item[]> => {
      const all: Item[] = [];
      for await (const item of items) all.push(item);
      return all;
    };
    const { fits } = (await server.get(`${model}/fits`)).json;
    assert.deepEqual(await collect(client.model(model.slice('/v1/'.length)).eachFit(2)), fits);
    assert.deepEqual(await collect(client.eachModel(2)), await client.models());
    assert.deepEqual(await collect(client.eachOperation(2)), await client.operations());
  });
});
