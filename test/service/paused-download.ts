import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';

/** A download that pauses after its first bytes until the rest is requested. */
export class PausedDownload {
  private readonly response: IncomingMessage;
  private readonly chunks: Buffer[] = [];

  private constructor(response: IncomingMessage) {
    this.response = response;
    response.on('data', (chunk) => this.chunks.push(chunk));
    response.pause();
  }

  static async begin(url: string, headers: Record<string, string> = {}): Promise<PausedDownload> {
    const [response]: IncomingMessage[] = await once(get(url, { headers }), 'response');
    if (response?.statusCode !== 200) throw new Error(`${url}: ${response?.statusCode}`);
    return new PausedDownload(response);
  }

  /** Resolves to all bytes. */
  async rest(): Promise<Buffer> {
    const end = once(this.response, 'end');
    this.response.resume();
    await end;
    return Buffer.concat(this.chunks);
  }

  /** Aborts the download. */
  abandon(): void {
    this.response.destroy();
  }
}
