/** Reads large data in a worker, so that the page continues to respond. */
import { expose } from 'comlink';
import { scanData } from './scanning-data.js';
import { summarizeData } from './variable-summaries.js';

const reader = { scanData, summarizeData };

export type DataReader = typeof reader;

expose(reader);
