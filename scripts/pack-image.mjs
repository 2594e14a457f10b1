/**
 * Packs the container image into one file that `docker load` and `podman load` read: an OCI image layout (image-spec 1.1), as a tar archive.
 * The files are those of scripts/build-image.mjs, the settings those of the last stage of deploy/Dockerfile. The same files give the same bytes.
 * Usage, on Linux after `npm run build`: node scripts/pack-image.mjs --out FILE.tar
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';

const root = fileURLToPath(new URL('..', import.meta.url));
const { values } = parseArgs({ options: { out: { type: 'string' } } });
if (values.out === undefined) throw new Error('--out is required');
const { name, version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const stage = readFileSync(join(root, 'deploy/Dockerfile'), 'utf8').split('\nFROM scratch\n')[1];

const DATE = '1980-01-01T00:00:00Z';
/** Nanoseconds in a second. */
const SECOND = 1e9;
const ARCHITECTURES = { x64: 'amd64', arm64: 'arm64' };

const folder = mkdtempSync(join(tmpdir(), 'leapfrog-image-'));
try {
  execFileSync(process.execPath, [join(root, 'scripts/build-image.mjs'), '--folder', join(folder, 'files')]);
  const layout = join(folder, 'layout');
  mkdirSync(join(layout, 'blobs/sha256'), { recursive: true });
  const blob = (mediaType, bytes) => {
    const sum = digest(bytes);
    writeFileSync(join(layout, 'blobs/sha256', sum), bytes);
    return { mediaType, digest: `sha256:${sum}`, size: bytes.length };
  };
  const json = (mediaType, value) => blob(mediaType, Buffer.from(JSON.stringify(value)));

  const user = instruction('USER');
  const layers = [archive(join(folder, 'files/root'), '0:0'), archive(join(folder, 'files/own'), user)];
  const config = json('application/vnd.oci.image.config.v1+json', {
    created: DATE,
    architecture: ARCHITECTURES[process.arch],
    os: 'linux',
    config: settings(user),
    rootfs: { type: 'layers', diff_ids: layers.map((layer) => `sha256:${digest(layer)}`) },
    history: layers.map(() => ({ created: DATE })),
  });
  const compressed = layers.map((layer) => blob('application/vnd.oci.image.layer.v1.tar+gzip', gzipSync(layer)));
  const manifest = json('application/vnd.oci.image.manifest.v1+json', {
    schemaVersion: 2,
    mediaType: 'application/vnd.oci.image.manifest.v1+json',
    config,
    layers: compressed,
  });
  const annotations = {
    'org.opencontainers.image.ref.name': version,
    'io.containerd.image.name': `${name}:${version}`,
  };
  const index = { schemaVersion: 2, manifests: [{ ...manifest, annotations }] };
  writeFileSync(join(layout, 'index.json'), JSON.stringify(index));
  writeFileSync(join(layout, 'oci-layout'), JSON.stringify({ imageLayoutVersion: '1.0.0' }));
  writeFileSync(resolve(values.out), archive(layout, '0:0'));
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function digest(bytes) {
  return createHash('sha256').update(bytes).digest('hex');
}

/** The files of a folder as a tar archive, in the order of their names, with one date and owner. */
function archive(place, owner) {
  const [uid, gid] = owner.split(':');
  const same = [
    '--sort=name',
    `--mtime=${DATE}`,
    `--owner=${uid}`,
    `--group=${gid}`,
    '--numeric-owner',
    '--format=ustar',
  ];
  const names = readdirSync(place).sort();
  return execFileSync('tar', ['--create', ...same, '--directory', place, ...names], { maxBuffer: 2 ** 30 });
}

/** The rest of the line that begins with an instruction. */
function instruction(word) {
  return new RegExp(`^ *${word} (.*)$`, 'm').exec(stage)[1];
}

/** The instructions of the stage, in the words of the image specification and of Docker, which adds the health check. */
function settings(user) {
  const [check, command] = Array.from(stage.matchAll(/^ *CMD (.*)$/gm), ([, words]) => JSON.parse(words));
  const [, interval, timeout, start] = /--interval=(\d+)s --timeout=(\d+)s --start-period=(\d+)s/.exec(stage);
  return {
    User: user,
    Env: instruction('ENV').split(' '),
    Entrypoint: JSON.parse(instruction('ENTRYPOINT')),
    Cmd: command,
    WorkingDir: instruction('WORKDIR'),
    Volumes: { [instruction('VOLUME')]: {} },
    ExposedPorts: { [`${instruction('EXPOSE')}/tcp`]: {} },
    Healthcheck: {
      Test: ['CMD', ...check],
      Interval: interval * SECOND,
      Timeout: timeout * SECOND,
      StartPeriod: start * SECOND,
    },
  };
}
