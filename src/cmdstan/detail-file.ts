import type { Detail, DetailRecord } from '../inference/algorithms/algorithm.js';
import { JsonText } from './json-text.js';
import { TextFile } from './output.js';

/**
 * A JSON file with an algorithm's internal details. It contains one object, whose members are the named records, or the
 * members of the only record.
 */
export class DetailFile {
  private readonly file: TextFile;
  private readonly json: JsonText;
  private isBegun = false;

  constructor(path: string, significantDigits: number) {
    this.file = new TextFile(path);
    this.json = new JsonText(significantDigits);
  }

  write({ members, name }: DetailRecord): void {
    const { json } = this;
    if (!this.isBegun) json.begin();
    this.isBegun = true;
    if (name !== undefined) json.begin(name);
    for (const [key, detail] of Object.entries(members)) this.member(key, detail);
    if (name !== undefined) json.end();
    this.file.write(json.take());
  }

  /** The file of a run without details remains empty. */
  close(): void {
    if (this.isBegun) {
      this.json.end();
      this.file.write(this.json.take());
    }
    this.file.close();
  }

  private member(name: string, detail: Detail): void {
    const { json } = this;
    if (typeof detail !== 'object') json.write(name, detail);
    else if ('integer' in detail) json.writeInteger(name, detail.integer);
    else if ('real' in detail) json.writeReal(name, detail.real);
    else if ('vector' in detail) json.writeVector(name, detail.vector);
    else json.writeMatrix(name, detail.rows);
  }
}
