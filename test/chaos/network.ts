/** Hosts in their own network namespaces, which can be disconnected. No privileges are required. */
import { execFile, execFileSync } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/**
 * Runs a command in a network namespace that contains only loopback, with the right to add interfaces. The namespace ends with the
 * command, as does every process that the command has started.
 */
const IN_OWN_NETWORK: readonly string[] = [
  ...['unshare', '--map-root-user', '--net', '--mount', '--mount-proc', '--pid', '--fork', '--kill-child'],
  ...['sh', '-c', 'mount -t tmpfs none /run && mkdir /run/netns && ip link set lo up && "$@"', 'sh'],
];
/** The first three bytes of the addresses of each network: servers and workers share one network, clients and servers another. */
const NETWORKS = { inside: '10.99.1', outside: '10.99.2' } as const;
/** The address, on both networks, of the process that created them. */
const MAKER = 1;

type Network = keyof typeof NETWORKS;

export function inOwnNetwork(command: readonly string[]): readonly string[] {
  return [...IN_OWN_NETWORK, ...command];
}

/** For the option `skip` of a test: why networks cannot be created, or false. */
export function withoutNetworks(): string | false {
  const [program, ...words] = inOwnNetwork(['ip', 'link', 'add', 'bridge', 'type', 'bridge']);
  try {
    execFileSync(program, words, { stdio: 'ignore' });
    return false;
  } catch {
    return 'network namespaces cannot be made: it takes unshare and ip (util-linux, iproute2) and a system that allows them';
  }
}

/** Adds the networks to the namespace of this process, which must be its own. */
export async function makeNetworks(): Promise<void> {
  for (const [network, addresses] of Object.entries(NETWORKS)) {
    await ip('link', 'add', network, 'type', 'bridge');
    await ip('addr', 'add', `${addresses}.${MAKER}/24`, 'dev', network);
    await ip('link', 'set', network, 'up');
  }
}

/** A host on one or more of the networks. */
export class Host {
  private static count = MAKER;
  private readonly name: string;
  private readonly number: number;
  private readonly networks: readonly Network[];

  private constructor(number: number, networks: readonly Network[]) {
    this.number = number;
    this.name = `host-${number}`;
    this.networks = networks;
  }

  static async on(...networks: readonly Network[]): Promise<Host> {
    Host.count++;
    const host = new Host(Host.count, networks);
    await ip('netns', 'add', host.name);
    await ip('-n', host.name, 'link', 'set', 'lo', 'up');
    for (const network of networks) {
      const cable = host.cable(network);
      await ip('link', 'add', cable, 'type', 'veth', 'peer', 'name', network, 'netns', host.name);
      await ip('-n', host.name, 'addr', 'add', `${host.address(network)}/24`, 'dev', network);
      await ip('-n', host.name, 'link', 'set', network, 'up');
      await ip('link', 'set', cable, 'master', network, 'up');
    }
    return host;
  }

  address(network: Network): string {
    return `${NETWORKS[network]}.${this.number}`;
  }

  /** Runs a command on this host, under the same process id. */
  command(words: readonly string[]): readonly string[] {
    return ['ip', 'netns', 'exec', this.name, ...words];
  }

  /** Drops all traffic of these networks without any notification. */
  async cut(...networks: readonly Network[]): Promise<void> {
    for (const network of networks) await ip('link', 'set', this.cable(network), 'nomaster');
  }

  async repair(): Promise<void> {
    for (const network of this.networks) await ip('link', 'set', this.cable(network), 'master', network);
  }

  private cable(network: Network): string {
    return `${network}-${this.number}`;
  }
}

async function ip(...words: readonly string[]): Promise<void> {
  await run('ip', words);
}
