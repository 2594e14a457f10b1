import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import type * as client from '../../src/client/index.js';
import type * as service from '../../src/service/schemas.js';
import { ROOT } from '../project/tree.js';
import { textsUnder } from '../support/documents.js';

/** A type of the wire as the client gives it: numbers that may come as texts are numbers. */
type Read<Type> = [Extract<Type, 'NaN'>] extends [never]
  ? Type extends readonly (infer Element)[]
    ? readonly Read<Element>[]
    : Type extends object
      ? { readonly [Name in keyof Type]: Read<Type[Name]> }
      : Type
  : number;

/** True if the types are the same, and no type at all otherwise. */
type Same<Left, Right> =
  (<Any>() => Any extends Read<Left> ? 1 : 2) extends <Any>() => Any extends Read<Right> ? 1 : 2 ? true : never;

/** Compiles as long as the client's types are those of the schemas. */
const same: {
  readonly model: Same<client.ModelResource, service.ModelResource>;
  readonly describedModel: Same<client.DescribedModelResource, service.DescribedModelResource>;
  readonly description: Same<client.DescriptionResource, service.DescriptionResource>;
  readonly error: Same<client.ErrorResource, service.ErrorResource>;
  readonly operation: Same<client.OperationResource, service.OperationResource>;
  readonly function: Same<client.FunctionResource, service.FunctionResource>;
  readonly parameters: Same<client.ParametersResource, service.ParametersResource>;
  readonly fit: Same<client.FitResource, service.FitResource>;
  readonly summary: Same<client.SummaryResource, service.SummaryResource>;
  readonly diagnosis: Same<client.DiagnosisResource, service.DiagnosisResource>;
} = {
  model: true,
  describedModel: true,
  description: true,
  error: true,
  operation: true,
  function: true,
  parameters: true,
  fit: true,
  summary: true,
  diagnosis: true,
};

const COMPILER = join(ROOT, 'node_modules', '.bin', 'tsc');
const STRICT = ['--strict', '--noEmit', '--target', 'es2023', '--module', 'nodenext'];

describe('the types of the client', () => {
  it("are those of the server's schemas", () => {
    assert.ok(Object.values(same).every((each) => each));
  });

  it('can be checked by who uses them, in Node and in a page, and bring nothing of the server', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'leapfrog-consumer-'));
    try {
      await mkdir(join(folder, 'node_modules', '@types'), { recursive: true });
      await symlink(ROOT, join(folder, 'node_modules', 'leapfrog'));
      await symlink(join(ROOT, 'node_modules', '@types', 'node'), join(folder, 'node_modules', '@types', 'node'));
      await writeFile(join(folder, 'session.mts'), textsUnder('docs/http.md', 'TypeScript', 'ts').join('\n'));
      await writeFile(join(folder, 'page.mts'), "export { Client } from 'leapfrog/client';\n");
      const check = async (...given: readonly string[]) => {
        const { stdout } = await promisify(execFile)(COMPILER, [...STRICT, '--listFiles', ...given], { cwd: folder });
        const files = stdout.split('\n').filter((file) => file.startsWith(ROOT) && !file.includes('node_modules'));
        assert.ok(files.length > 0 && files.every((file) => file.includes('/client/')), files.join('\n'));
      };
      await Promise.all([
        check('--lib', 'es2023', '--types', 'node', 'session.mts'),
        check('--lib', 'es2023,dom', '--types', '', 'page.mts'),
      ]);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});
