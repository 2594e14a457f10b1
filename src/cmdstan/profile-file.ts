import type { ProfileTime } from '../chain/model-host.js';
import { streamText } from '../inference/number-text.js';
import { TextFile } from './output.js';

const COLUMNS =
  'name,thread_id,total_time,forward_time,reverse_time,chain_stack,no_chain_stack,autodiff_calls,no_autodiff_calls';

/**
 * Writes CmdStan's file of profiles. The compiled gradient has no separate reverse sweep and no stack, so all time is
 * assigned to the forward sweep.
 */
export function writeProfiles(path: string, profiles: readonly ProfileTime[]): void {
  const file = new TextFile(path);
  file.write(`${COLUMNS}\n`);
  for (const { name, runs, seconds } of profiles) {
    const time = streamText(seconds);
    file.write(`${name},0x1,${time},${time},0,0,0,${runs},0\n`);
  }
  file.close();
}
