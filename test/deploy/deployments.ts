/** Each configuration of a cluster in deploy/, to the extent that local processes can reproduce it. */
import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, read } from '../project/tree.js';

/** Arguments of `leapfrog` and its environment. */
export interface Program {
  readonly arguments: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

/** A way to run a cluster. */
export interface Deployment {
  readonly name: string;
  /** The configuration of a NATS server. */
  readonly nats: string;
  readonly serve: Program;
  readonly work: Program;
}

// biome-ignore lint/suspicious/noExplicitAny: manifests have been checked against their schemas
type Manifest = any;

interface Manifests {
  readonly compose: Manifest;
  /** The base of a cluster. */
  readonly kubernetes: readonly Manifest[];
  /** The base of one server. */
  readonly single: readonly Manifest[];
}

/** Reads the compose file and the manifests. Throws if one does not match its schema. */
export function readManifests(): Manifests {
  const text = execFileSync('python3', [join(ROOT, 'interop/deployment.py')], { encoding: 'utf8', maxBuffer: 1 << 24 });
  return JSON.parse(text);
}

export function composeDeployment({ services }: Manifest): Deployment {
  const program = ({ command, environment }: Manifest): Program => ({ arguments: command, environment });
  const nats = read('deploy/compose/nats.conf');
  return { name: 'compose', nats, serve: program(services.serve), work: program(services.work) };
}

/** Containers of pods, by name. */
export function podsOf(manifests: readonly Manifest[]): ReadonlyMap<string, Manifest> {
  const sets = manifests.filter(({ kind }) => kind === 'Deployment' || kind === 'StatefulSet');
  return new Map(sets.map(({ metadata, spec }) => [metadata.name, spec.template.spec]));
}

/** The program of the container in a pod. */
export function programOf(manifests: readonly Manifest[], pod: string): Program {
  const [container] = podsOf(manifests).get(pod).containers;
  const variables: readonly Manifest[] = container.env;
  const secret = (variable: Manifest) => variable.valueFrom.secretKeyRef.key;
  const environment = variables.map((variable) => [variable.name, variable.value ?? secret(variable)]);
  return { arguments: container.args, environment: Object.fromEntries(environment) };
}

export function kubernetesDeployment(manifests: readonly Manifest[]): Deployment {
  const [serve, work] = ['leapfrog-serve', 'leapfrog-work'].map((pod) => programOf(manifests, pod));
  const nats = manifests.find(({ kind }) => kind === 'ConfigMap').data['nats.conf'];
  return { name: 'Kubernetes', nats, serve, work };
}

export const UNITS: readonly string[] = ['deploy', 'deploy/systemd'].flatMap((folder) =>
  readdirSync(join(ROOT, folder))
    .filter((file) => file.endsWith('.service'))
    .map((file) => join(folder, file)),
);

export function systemdDeployment(): Deployment {
  const shared = read('deploy/systemd/leapfrog.env').split('\n');
  const program = (unit: string, instance: string): Program => {
    const lines = read(`deploy/systemd/${unit}@.service`).replaceAll('%i', instance).split('\n');
    const [command = ''] = lines.filter((line) => line.startsWith('ExecStart='));
    const own = lines.filter((line) => line.startsWith('Environment=')).flatMap((line) => line.slice(12).split(' '));
    const variables = [...own, ...shared.filter((line) => /^[A-Z_]+=/.test(line))];
    return {
      arguments: command.slice(command.indexOf('main.js') + 'main.js '.length).split(' '),
      environment: Object.fromEntries(variables.map((each) => each.split('=', 2))),
    };
  };
  const nats = read('deploy/systemd/nats.conf');
  return { name: 'systemd', nats, serve: program('leapfrog-serve', '0'), work: program('leapfrog-work', '2') };
}
