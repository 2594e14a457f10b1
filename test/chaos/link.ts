import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';

/** The connections of a process to some ports of this machine, which can be cut: nothing comes through, and nobody is told. */
export class Link {
  /** Where the process connects to, in the order of the ports. */
  readonly ports: readonly number[];
  private readonly servers: readonly Server[];
  private readonly sockets: Set<Socket>;
  private isCut = false;

  private constructor(servers: readonly Server[], sockets: Set<Socket>) {
    this.servers = servers;
    this.sockets = sockets;
    this.ports = servers.map((server) => {
      const address = server.address();
      return typeof address === 'object' && address !== null ? address.port : 0;
    });
  }

  static async to(targets: readonly number[]): Promise<Link> {
    const sockets = new Set<Socket>();
    const servers = await Promise.all(
      targets.map(async (target) => {
        const server = createServer((near) => {
          const far = connect(target, '127.0.0.1');
          for (const each of [near, far]) {
            sockets.add(each);
            each.setNoDelay(true);
            each.on('error', () => undefined);
            each.on('close', () => {
              sockets.delete(each);
              (each === near ? far : near).destroy();
            });
          }
          near.pipe(far);
          far.pipe(near);
          if (link.isCut) for (const each of [near, far]) hold(each);
        });
        await once(server.listen(0, '127.0.0.1'), 'listening');
        return server;
      }),
    );
    const link = new Link(servers, sockets);
    return link;
  }

  cut(): void {
    this.isCut = true;
    for (const socket of this.sockets) hold(socket);
  }

  /** What was held back comes through. */
  mend(): void {
    this.isCut = false;
    for (const socket of this.sockets) {
      socket.uncork();
      socket.resume();
    }
  }

  close(): void {
    for (const server of this.servers) server.close();
    for (const socket of this.sockets) socket.destroy();
  }
}

/** Nothing is read, and nothing written is sent. */
function hold(socket: Socket): void {
  socket.cork();
  socket.pause();
}
