import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { CommandFolder } from './command.js';

it('leapfrog page copies the workbench, updates it, and leaves other folders unchanged', async () => {
  const place = await CommandFolder.create({});
  try {
    const page = place.path('public/leapfrog');
    assert.equal((await place.run('page', 'public/leapfrog')).output, `The workbench is in ${page}\n`);
    const files = readdirSync(page, { recursive: true, encoding: 'utf8' });
    assert.ok(files.includes('index.html'));

    writeFileSync(join(page, 'assets/of-an-earlier-build.js'), '');
    assert.equal((await place.run('page', 'public/leapfrog')).code, 0);
    assert.deepEqual(readdirSync(page, { recursive: true, encoding: 'utf8' }), files);

    mkdirSync(place.path('site'));
    writeFileSync(place.path('site/index.html'), 'mine');
    const refused = await place.run('page', 'site');
    assert.equal(refused.errors, 'error: site contains other files; choose an empty folder\n');
    assert.equal(refused.code, 1);
    assert.ok(!existsSync(place.path('site/assets')));
  } finally {
    await place.remove();
  }
});
