/** Checks programs as their texts change, and publishes diagnostics. */
import type { Connection, Diagnostic } from 'vscode-languageserver/node';
import type { ProgramReport, Remark } from '../editing/language-service.js';
import type { AnalysisThread } from './analysis-thread.js';
import { diagnosticOf } from './convert.js';
import type { Document, Key } from './document.js';
import type { Program, Programs } from './programs.js';

interface Checked {
  readonly program: Program;
  readonly documents: ReadonlyMap<Key, Document>;
  readonly remarks: readonly Remark[];
  /** Whether `remarks` include features that Leapfrog cannot compile. */
  readonly isExamined: boolean;
}

/** Milliseconds between the last change and the search for features that Leapfrog cannot compile. */
const PAUSE = 500;

export class Reports {
  pedantic = true;
  readonly #connection: Connection;
  readonly #programs: Programs;
  readonly #thread: AnalysisThread;
  readonly #due = new Set<Key>();
  readonly #checked = new Map<Key, Checked>();
  readonly #published = new Map<Key, string>();
  #isWorking = false;
  #pause: NodeJS.Timeout | undefined;

  constructor(connection: Connection, programs: Programs, thread: AnalysisThread) {
    this.#connection = connection;
    this.#programs = programs;
    this.#thread = thread;
  }

  /** Checks the programs that contain a changed text. */
  changed(key: Key): void {
    this.#drop();
    for (const root of this.#programs.checked) {
      const before = this.#checked.get(root);
      const isPart = root === key || before === undefined || [...before.program.keys.values()].includes(key);
      // A new include adds files that were not part of the program before.
      if (isPart || [...this.#programs.program(root).keys.values()].includes(key)) this.#due.add(root);
    }
    void this.#work();
  }

  /** Checks all programs, because settings or files have changed. */
  changedAll(): void {
    this.#drop();
    for (const root of this.#programs.checked) this.#due.add(root);
    void this.#work();
  }

  /** The diagnostics of the current version of a text. */
  async remarks(document: Document): Promise<readonly Remark[]> {
    const found: Remark[] = [];
    for (const program of this.#programs.programsOf(document.key)) {
      const checked = this.#checked.get(program.root);
      const isCurrent = checked?.documents.get(document.key)?.text === document.text && !this.#due.has(program.root);
      const remarks = isCurrent && checked !== undefined ? checked.remarks : (await this.#ask(program)).remarks;
      found.push(...remarks.filter(({ at }) => program.keys.get(at.file) === document.key));
    }
    return found;
  }

  /** Cancels the pending search. */
  end(): void {
    clearTimeout(this.#pause);
  }

  /** Removes programs that are no longer open. */
  #drop(): void {
    const kept = new Set(this.#programs.checked);
    for (const root of [...this.#checked.keys(), ...this.#due]) {
      if (kept.has(root)) continue;
      this.#checked.delete(root);
      this.#due.delete(root);
    }
    this.#publish();
  }

  async #work(): Promise<void> {
    if (this.#isWorking) return;
    this.#isWorking = true;
    // Messages that have arrived together are all processed first.
    await new Promise((resolve) => setImmediate(resolve));
    for (let [root] = this.#due; root !== undefined; [root] = this.#due) {
      this.#due.delete(root);
      await this.#check(root);
    }
    this.#isWorking = false;
    clearTimeout(this.#pause);
    this.#pause = setTimeout(() => void this.#examine(), PAUSE).unref();
  }

  /**
   * Adds warnings about features that Leapfrog cannot compile, which take longer to find, to the results of programs
   * without these warnings.
   */
  async #examine(): Promise<void> {
    for (const [root, checked] of this.#checked) {
      if (this.#due.size > 0) return;
      if (checked.isExamined) continue;
      try {
        const unsupported = await this.#thread.ask(root, checked.program.source, { kind: 'unsupported' });
        if (this.#checked.get(root) !== checked) continue;
        this.#checked.set(root, { ...checked, remarks: [...checked.remarks, ...unsupported], isExamined: true });
        this.#publish();
      } catch (error) {
        this.#failed(error);
      }
    }
  }

  #failed(error: unknown): void {
    this.#connection.console.error(error instanceof Error ? error.message : String(error));
  }

  async #check(root: Key): Promise<void> {
    const program = this.#programs.program(root);
    const documents = this.#documentsOf(program);
    try {
      const { remarks } = await this.#ask(program);
      // If the text has changed during the analysis, the result is outdated.
      if (this.#due.has(root) || !this.#programs.checked.includes(root)) return;
      this.#checked.set(root, { program, documents, remarks, isExamined: false });
      this.#publish();
    } catch (error) {
      this.#failed(error);
    }
  }

  #ask({ root, source }: Program): Promise<ProgramReport> {
    return this.#thread.ask(root, source, { kind: 'report', pedantic: this.pedantic });
  }

  #documentsOf({ keys }: Program): ReadonlyMap<Key, Document> {
    return new Map(
      [...keys.values()].flatMap((key) => {
        const document = this.#programs.document(key);
        return document === undefined ? [] : [[key, document]];
      }),
    );
  }

  /** Sends the diagnostics of each text whose diagnostics have changed. */
  #publish(): void {
    const found = new Map<Key, { readonly document: Document; readonly diagnostics: Diagnostic[] }>();
    for (const { program, documents, remarks } of this.#checked.values()) {
      for (const [key, document] of documents) if (!found.has(key)) found.set(key, { document, diagnostics: [] });
      for (const remark of remarks) {
        const entry = found.get(program.keys.get(remark.at.file) ?? program.root);
        if (entry !== undefined) entry.diagnostics.push(diagnosticOf(remark, entry.document));
      }
    }
    for (const [key, { document, diagnostics }] of found) {
      const unique = [...new Map(diagnostics.map((each) => [JSON.stringify(each), each])).values()];
      const { uri, version } = this.#programs.document(key) ?? document;
      const isCurrent = version === document.version;
      const sent = JSON.stringify([version, unique]);
      const isEmpty = unique.length === 0 && !this.#published.has(key) && version === undefined;
      if (!isCurrent || isEmpty || this.#published.get(key) === sent) continue;
      this.#published.set(key, sent);
      void this.#connection.sendDiagnostics({ uri, diagnostics: unique, ...(version !== undefined && { version }) });
    }
    for (const key of this.#published.keys()) {
      if (found.has(key)) continue;
      this.#published.delete(key);
      void this.#connection.sendDiagnostics({ uri: this.#programs.uri(key), diagnostics: [] });
    }
  }
}
