import { problems } from './errors.js';
import { DamagedFile } from './store/checksums.js';
import { describeDamage } from './store/damage.js';

/** What can be listed, and for each thing of which the record is damaged, what is wrong. */
export interface Listed<Resource> {
  readonly resources: Resource[];
  readonly damaged: string[];
}

export function listed<Resource>(found: readonly (Resource | DamagedFile | undefined)[]): Listed<Resource> {
  const resources: Resource[] = [];
  const damaged: string[] = [];
  for (const each of found) {
    if (each instanceof DamagedFile) damaged.push(problems.damaged(describeDamage(each.path)).message);
    else if (each !== undefined) resources.push(each);
  }
  return { resources, damaged };
}
