import { expose } from 'comlink';
import type { DataFault } from '#engine/derive/data-faults.js';
import { LanguageService } from '#engine/editing/language-service.js';
import { parseStanData } from '#engine/formats/stan-json.js';
import { valuesOf } from '../data/data-values.js';

/** Reads data here, because they may be large. */
export class PageLanguageService extends LanguageService {
  /** Faults in data as JSON text, which must be valid. */
  faultsOfData(data: string): readonly DataFault[] {
    return this.dataFaults(valuesOf(parseStanData(data)));
  }
}

expose(new PageLanguageService());
