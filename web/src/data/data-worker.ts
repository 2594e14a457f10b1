/** Reads large data in a worker, so that the page continues to respond. */
import { expose } from 'comlink';
import type { DataMember } from '#engine/derive/data-block.js';
import { parseStanData } from '#engine/formats/stan-json.js';
import { scanData } from './scanning-data.js';
import { shapesOf } from './shapes.js';
import { summarizeData } from './variable-summaries.js';

const reader = {
  scanData,
  summarizeData,

  membersIn(text: string): readonly DataMember[] | undefined {
    try {
      return shapesOf(parseStanData(text));
    } catch {
      return undefined;
    }
  },
};

export type DataReader = typeof reader;

expose(reader);
