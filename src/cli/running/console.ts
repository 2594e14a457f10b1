/** Console output of a run: progress bars on a terminal, Stan's lines elsewhere. */
import { clearScreenDown } from 'node:readline';
import { MultiBar, Presets, type SingleBar } from 'cli-progress';
import type { LogLevel } from '../../inference/events.js';
import { printData, visible } from '../../node/standard-streams.js';

/** The destination of the output of a run's chains. */
export interface RunConsole {
  log(chain: number, level: LogLevel, text: string): void;
  /** Shows a line about the whole run on a terminal, replacing the previous one. */
  note(line: () => string): void;
  end(): void;
}

/** Number of columns of a terminal that does not report its width. */
const USUAL_WIDTH = 80;

/** Stan's progress line of a sampler. */
const PROGRESS = /^Iteration: +(\d+) \/ (\d+) \[ *\d+%\] +\((\w+)\)$/;

/** Shows bars if the output is a terminal and the algorithm has a known number of iterations. */
export function openConsole(chains: readonly number[], terminal: NodeJS.WritableStream | undefined): RunConsole {
  return terminal === undefined ? new LineConsole(chains.length > 1) : new BarConsole(chains, terminal);
}

/** Writes errors to standard error, everything else to standard output, as in CmdStan. */
class LineConsole implements RunConsole {
  private readonly namesChains: boolean;

  /** `namesChains`: whether each line begins with its chain. */
  constructor(namesChains: boolean) {
    this.namesChains = namesChains;
  }

  log(chain: number, level: LogLevel, text: string): void {
    const stream = level === 'error' || level === 'fatal' ? 'errors' : 'output';
    const prefix = this.namesChains ? `Chain [${chain}] ` : '';
    for (const line of text.split('\n')) printData(`${prefix}${line}\n`, stream);
  }

  note(): void {}

  end(): void {}
}

/** One bar per chain and a line about the run, below all other output. */
class BarConsole implements RunConsole {
  private readonly bars: MultiBar;
  private readonly chains = new Map<number, SingleBar>();
  private readonly line: SingleBar;
  private readonly terminal: NodeJS.WritableStream;

  constructor(chains: readonly number[], terminal: NodeJS.WritableStream) {
    this.bars = new MultiBar(
      {
        format: 'Chain {chain} [{bar}] {value}/{total} {phase}',
        stream: terminal,
        hideCursor: true,
        linewrap: true,
        gracefulExit: false,
        forceRedraw: true,
      },
      Presets.legacy,
    );
    // Messages overwrite the bars, and may cover only a part of them.
    this.bars.on('redraw-pre', () => clearScreenDown(terminal));
    for (const chain of chains) this.chains.set(chain, this.bars.create(1, 0, { chain, phase: 'waiting' }));
    this.line = this.bars.create(1, 0, { line: '' }, { format: '{line}' });
    this.terminal = terminal;
  }

  log(chain: number, _level: LogLevel, text: string): void {
    const [, iteration, total, phase] = PROGRESS.exec(text) ?? [];
    const bar = this.chains.get(chain);
    if (iteration !== undefined && bar !== undefined) {
      bar.setTotal(Number(total));
      bar.update(Number(iteration), { phase: phase.toLowerCase() });
    } else if (text.trim() !== '') {
      this.bars.log(`Chain ${chain}: ${visible(text)}\n`);
    }
  }

  note(line: () => string): void {
    const width = 'columns' in this.terminal ? Number(this.terminal.columns) : USUAL_WIDTH;
    // If a line wrapped, parts of it would remain on the screen.
    this.line.update({ line: visible(line()).slice(0, width - 1) });
  }

  end(): void {
    // Messages appear at the next update, and stopping does not cause an update.
    this.bars.update();
    this.bars.stop();
  }
}
