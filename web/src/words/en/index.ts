/** English, the source of all translations: messages by area, in ICU message syntax. */
import { about } from './about.js';
import { actions } from './actions.js';
import { calibration } from './calibration.js';
import { compare } from './compare.js';
import { data } from './data.js';
import { engine } from './engine.js';
import { explore } from './explore.js';
import { figures } from './figures.js';
import { files } from './files.js';
import { formula } from './formula.js';
import { frame } from './frame.js';
import { plots } from './plots.js';
import { profile } from './profile.js';
import { runs } from './runs.js';
import { script } from './script.js';
import { start } from './start.js';
import { tables } from './tables.js';
import { titles } from './titles.js';
import { write } from './write.js';

export const english = {
  about,
  actions,
  calibration,
  compare,
  data,
  engine,
  explore,
  figures,
  formula,
  files,
  frame,
  plots,
  profile,
  runs,
  script,
  start,
  tables,
  titles,
  write,
} as const;
