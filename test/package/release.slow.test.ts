/** Builds the files of a release with `scripts/release.mjs` from the built checkout. */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { unzipSync } from 'fflate';
import { ROOT, read } from '../project/tree.js';
import { withoutModules } from '../support/packages.js';
import { makeRelease } from './made-release.js';

const { version }: { version: string } = JSON.parse(read('package.json'));
const makesImage = process.platform === 'linux' && spawnSync('strip', ['--version']).status === 0;

/** The fields of package.json that all packages share. */
interface Described {
  readonly author: string;
  readonly bugs?: string | { readonly url: string };
  readonly homepage?: string;
  readonly license: string;
  readonly repository?: { readonly url: string };
}

describe('a release', { skip: withoutModules(['hatchling']) }, () => {
  let folder: string;
  const path = (file: string) => join(folder, file);
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'leapfrog-release-'));
    makeRelease(folder);
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  it('consists of packages, the page, changes, components and checksums, all of one version', () => {
    assert.deepEqual(readdirSync(folder).sort(), [
      'CHANGES.md',
      'SHA256SUMS',
      `leapfrog-${version}.cdx.json`,
      `leapfrog-${version}.intoto.json`,
      `leapfrog-${version}.tgz`,
      ...(makesImage ? [`leapfrog-image-${version}-${process.arch}.tar`] : []),
      `leapfrog-page-${version}.zip`,
      `leapfrog-stan-${version}.tgz`,
      'leapfrog-stan.vsix',
      `leapfrog_${version}.tar.gz`,
      `leapfrog_stan-${version}-py3-none-any.whl`,
    ]);
    const extension = unzipSync(readFileSync(path('leapfrog-stan.vsix')));
    const manifest: { version: string } = JSON.parse(Buffer.from(extension['extension/package.json']).toString());
    assert.equal(manifest.version, version);
    assert.ok('index.html' in unzipSync(readFileSync(path(`leapfrog-page-${version}.zip`))));
    execFileSync('sha256sum', ['--check', '--strict', 'SHA256SUMS'], { cwd: folder, stdio: 'ignore' });
  });

  it('has the license, the author and the addresses of package.json in each package', () => {
    const { author, bugs, homepage, license, repository }: Described = JSON.parse(read('package.json'));
    const source = repository?.url.replace('git+', '');
    const name = author.replace(/ <.*/, '');
    const packed = (file: string, member: string) =>
      execFileSync('tar', ['-xOzf', path(file), member], { encoding: 'utf8' });
    const zipped = (file: string, member: string) =>
      Buffer.from(unzipSync(readFileSync(path(file)))[member]).toString();
    for (const file of [`leapfrog-${version}.tgz`, `leapfrog-stan-${version}.tgz`]) {
      const made: Described = JSON.parse(packed(file, 'package/package.json'));
      assert.deepEqual(
        [made.author, made.bugs, made.homepage, made.license, made.repository],
        [author, bugs, homepage, license, repository],
      );
    }
    const extension: Described = JSON.parse(zipped('leapfrog-stan.vsix', 'extension/package.json'));
    assert.deepEqual(
      [extension.author, extension.bugs, extension.homepage, extension.license, extension.repository],
      [author, bugs && { url: bugs }, homepage, license, repository],
    );
    const wheel = zipped(
      `leapfrog_stan-${version}-py3-none-any.whl`,
      `leapfrog_stan-${version}.dist-info/METADATA`,
    ).split('\n');
    assert.ok(wheel.includes(`License-Expression: ${license}`));
    assert.ok(wheel.includes(author === name ? `Author: ${name}` : `Author-email: ${author}`));
    assert.deepEqual(
      wheel.filter((line) => line.startsWith('Project-URL: ')).sort(),
      Object.entries({ Homepage: homepage, Issues: bugs, Source: source })
        .filter(([, address]) => address !== undefined)
        .map(([title, address]) => `Project-URL: ${title}, ${address}`),
    );
    const r = packed(`leapfrog_${version}.tar.gz`, 'leapfrog/DESCRIPTION').split('\n');
    const rLicense = `${license.replaceAll('-', '_').replace('Clause', 'clause')} + file LICENSE`;
    assert.ok(r.includes(`Author: ${name}`));
    assert.ok(r.includes(`License: ${rLicense}`));
    assert.deepEqual(
      r.filter((line) => /^(?:URL|BugReports): /.test(line)).sort(),
      Object.entries({ BugReports: bugs, URL: homepage })
        .filter(([, address]) => address !== undefined)
        .map(([field, address]) => `${field}: ${address}`),
    );
  });

  it('names each package that is installed with ours', () => {
    const bill: { components: readonly { name: string }[] } = JSON.parse(
      readFileSync(path(`leapfrog-${version}.cdx.json`), 'utf8'),
    );
    const names = new Set(bill.components.map(({ name }) => name));
    const { dependencies }: { dependencies: Record<string, string> } = JSON.parse(read('package.json'));
    assert.ok(!names.has('typescript'));
    assert.deepEqual(
      Object.keys(dependencies).filter((name) => !names.has(name)),
      [],
    );
  });

  it('states its provenance: the commit, each package of the lock file, and the sum of each other file', () => {
    interface Material {
      readonly uri?: string;
      readonly digest: { readonly gitCommit?: string; readonly sha512?: string };
    }
    interface Statement {
      readonly subject: readonly { readonly name: string; readonly digest: { readonly sha256: string } }[];
      readonly predicate: { readonly buildDefinition: { readonly resolvedDependencies: readonly Material[] } };
    }
    const file = `leapfrog-${version}.intoto.json`;
    const { predicate, subject }: Statement = JSON.parse(readFileSync(path(file), 'utf8'));
    const sums = readFileSync(path('SHA256SUMS'), 'utf8')
      .split('\n')
      .filter((line) => line !== '');
    assert.deepEqual(
      subject.map(({ digest, name }) => `${digest.sha256}  ${name}`),
      sums.filter((line) => !line.endsWith(file)),
    );
    const [source, ...packages] = predicate.buildDefinition.resolvedDependencies;
    assert.equal(source.digest.gitCommit, execFileSync('git', ['rev-parse', 'HEAD'], { cwd: ROOT }).toString().trim());
    const locked: { packages: Record<string, { readonly integrity?: string }> } = JSON.parse(read('package-lock.json'));
    const integrities = Object.values(locked.packages).flatMap(({ integrity }) => integrity ?? []);
    assert.deepEqual(
      [
        ...new Set(
          packages.map(({ digest }) => `sha512-${Buffer.from(digest.sha512 ?? '', 'hex').toString('base64')}`),
        ),
      ].sort(),
      [...new Set(integrities)].sort(),
    );
    const uris = packages.map(({ uri }) => uri);
    assert.ok(uris.some((uri) => uri?.startsWith('pkg:npm/%40fastify/compress@')));
  });
});
