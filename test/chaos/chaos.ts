/** Kills, stops, disconnects and starts processes of a cluster, each on its own host, while clients use it. */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { Counts } from '../service/crashing/expectations.js';
import { IN_BLOCKS, runUndisturbed, SAMPLERS } from '../service/crashing/kinds.js';
import { Speaker } from '../service/crashing/speaker.js';
import { generator } from '../service/crashing/trial.js';
import { isSafeWhenKilled, NatsServer } from '../support/nats.js';
import { serve } from '../support/serving.js';
import { LEASE_TIME, Member } from './members.js';
import { Host, makeNetworks } from './network.js';
import { ChaosTraffic } from './traffic.js';

const CLIENTS = 4;
/** Milliseconds between two disturbances, and the maximum time without progress after the last one. */
const INTERVAL = 3000;
const LONGEST_STANDSTILL = 120_000;
/** Durations of a stop or disconnection, shorter and longer than a lease. */
const [SHORT, LONG] = [LEASE_TIME / 3, 2 * LEASE_TIME];
/** Milliseconds that NATS servers are given to find each other again before another one is disturbed. */
const NATS_REST = 8000;
/** Milliseconds between two reports of the counts so far. */
const REPORT_INTERVAL = 60_000;
/** Maximum number of disturbances reported with a problem. */
const MOST_TOLD = 12;

export interface Chaos {
  /** The disturbances, and their consequences. */
  readonly report: string;
  readonly problems: readonly string[];
}

/** Requires that the network belongs to this process. NATS servers are disturbed only if their version loses nothing. */
export async function runChaos(milliseconds: number, seed: number): Promise<Chaos> {
  const random = generator(seed);
  const undisturbed = await serve();
  const samplers = [...SAMPLERS, ...IN_BLOCKS];
  const kinds = await runUndisturbed(new Speaker(undisturbed.address), samplers).finally(undisturbed.stop);
  await makeNetworks();
  const hosts = [await Host.on('inside'), await Host.on('inside'), await Host.on('inside')];
  const nats = await NatsServer.startClusterOn(
    hosts.map((host) => ({ address: host.address('inside'), command: (words) => host.command(words) })),
  );
  const members: Member[] = [];
  let reporting: NodeJS.Timeout | undefined;
  try {
    const prefix = randomUUID();
    for (const name of ['front end 1', 'front end 2']) members.push(await Member.start('serve', name, nats, prefix));
    for (const name of ['worker 1', 'worker 2', 'worker 3'])
      members.push(await Member.start('work', name, nats, prefix));
    const frontEnds = members.filter(({ address }) => address !== undefined);
    const disturber = new Disturber(
      members,
      nats.map((server, k) => ({ server, host: hosts[k] })),
      random,
    );
    const traffic = new ChaosTraffic(frontEnds, kinds, random, () => disturber.latest.join('; '));
    const report = () => `${disturber.counts}; ${traffic.counts}`;
    const problems = () => [...disturber.problems, ...traffic.problems];
    reporting = setInterval(() => console.log(`${report()}; problems so far: ${problems().length}`), REPORT_INTERVAL);
    const running = traffic.run(CLIENTS);
    await disturber.run(performance.now() + milliseconds);
    traffic.end();
    await running;
    await traffic.settle(LONGEST_STANDSTILL);
    return { report: report(), problems: problems() };
  } finally {
    clearInterval(reporting);
    for (const member of members) await member.end();
    for (const server of nats) await server.stop();
  }
}

interface NatsMember {
  readonly server: NatsServer;
  readonly host: Host;
}

/** Disturbs members in sequence, some of them concurrently. */
class Disturber {
  readonly counts = new Counts();
  readonly problems: string[] = [];
  /** The last disturbances: what was done to which member, and at which second. */
  readonly latest: string[] = [];
  private readonly members: readonly Member[];
  private readonly nats: readonly NatsMember[];
  private readonly random: () => number;
  private readonly busy = new Set<Member>();
  private readonly mayDisturbNats = isSafeWhenKilled();
  private isNatsBusy = false;
  private readonly going: Promise<void>[] = [];

  constructor(members: readonly Member[], nats: readonly NatsMember[], random: () => number) {
    this.members = members;
    this.nats = nats;
    this.random = random;
  }

  /** Resolves when all members work again. */
  async run(end: number): Promise<void> {
    while (performance.now() < end) {
      const isNats = this.mayDisturbNats && this.random() < 0.25;
      if (isNats && !this.isNatsBusy) this.begin(this.disturbNats());
      const idle = this.members.filter((member) => !this.busy.has(member));
      if (!isNats && idle.length > 0) this.begin(this.disturb(this.pick(idle)));
      await pause(INTERVAL * (0.5 + this.random()));
    }
    await Promise.all(this.going);
  }

  private begin(disturbance: Promise<void>): void {
    this.going.push(disturbance.catch((error) => void this.problems.push(String(error))));
  }

  private async disturb(member: Member): Promise<void> {
    this.busy.add(member);
    const begun = this.now;
    const [length, time] = this.random() < 0.5 ? (['shortly', SHORT] as const) : (['for long', LONG] as const);
    const kind = member.address === undefined ? 'workers' : 'front ends';
    const what = this.pick(['killed', 'stopped', 'cut off'] as const);
    if (what === 'killed') {
      this.counts.add(`${kind} killed`);
      await member.kill();
      await pause(time);
      await member.run();
    } else if (what === 'stopped') {
      this.counts.add(`${kind} stopped ${length}`);
      member.stop();
      await pause(time);
      member.go();
    } else {
      const from = member.address === undefined ? 'NATS' : this.pick(['everybody', 'NATS'] as const);
      this.counts.add(`${kind} cut off from ${from} ${length}`);
      await member.cut(from);
      await pause(time);
      await member.repair();
    }
    this.note(`${member.name} ${what}`, begun);
    this.busy.delete(member);
  }

  /** Disturbs one NATS server at a time; the others must have found it again before the next one. */
  private async disturbNats(): Promise<void> {
    this.isNatsBusy = true;
    const { host, server } = this.pick(this.nats);
    const what = this.pick(['killed', 'stopped', 'cut off'] as const);
    const time = this.random() < 0.5 ? SHORT : LONG;
    const begun = this.now;
    this.counts.add(`NATS servers ${what}`);
    if (what === 'killed') {
      await server.kill();
      await pause(time);
      await server.run();
    } else if (what === 'stopped') {
      server.signal('SIGSTOP');
      await pause(time);
      server.signal('SIGCONT');
    } else {
      await host.cut('inside');
      await pause(time);
      await host.repair();
    }
    this.note(`NATS server ${this.nats.findIndex((each) => each.server === server) + 1} ${what}`, begun);
    await pause(NATS_REST);
    this.isNatsBusy = false;
  }

  private get now(): number {
    return Math.round(performance.now() / 1000);
  }

  private note(what: string, begun: number): void {
    this.latest.push(`${what} from ${begun} to ${this.now} s`);
    if (this.latest.length > MOST_TOLD) this.latest.shift();
  }

  private pick<Value>(values: readonly Value[]): Value {
    return values[Math.floor(this.random() * values.length)];
  }
}
