import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { isRunning, startTimeOf } from './process-table.ts';

interface Entry {
  readonly role: string;
  readonly pid: number;
  readonly startTime: string;
}

/**
 * Which processes of a stack run, kept in a file: a gate that was killed outright cannot clean up, so the next
 * one does.
 */
export class Leftovers {
  readonly #path: string;
  #entries: readonly Entry[] = [];

  constructor(path: string) {
    this.#path = path;
  }

  add(role: string, pid: number): void {
    this.#entries = [...this.#entries, { role, pid, startTime: startTimeOf(pid) ?? '' }];
    this.#save();
  }

  remove(pid: number): void {
    this.#entries = this.#entries.filter((entry) => entry.pid !== pid);
    this.#save();
  }

  /** Kills what an earlier gate left running, and says what that was. */
  kill(): readonly string[] {
    const found = readEntries(this.#path).filter(({ pid, startTime }) => isRunning(pid, startTime));
    for (const { pid } of found) process.kill(-pid, 'SIGKILL');
    rmSync(this.#path, { force: true });
    return found.map(({ role, pid }) => `${role} (process ${pid})`);
  }

  #save(): void {
    if (this.#entries.length === 0) {
      rmSync(this.#path, { force: true });
      return;
    }
    writeFileSync(`${this.#path}.new`, JSON.stringify(this.#entries));
    renameSync(`${this.#path}.new`, this.#path);
  }
}

function readEntries(path: string): readonly Entry[] {
  try {
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'));
    return Array.isArray(value) ? value.filter(isEntry) : [];
  } catch (error) {
    if (
      error instanceof SyntaxError ||
      (error instanceof Error && 'code' in error && error.code === 'ENOENT')
    )
      return [];
    throw error;
  }
}

function isEntry(value: unknown): value is Entry {
  return (
    typeof value === 'object' &&
    value !== null &&
    'role' in value &&
    typeof value.role === 'string' &&
    'pid' in value &&
    Number.isSafeInteger(value.pid) &&
    Number(value.pid) > 1 &&
    'startTime' in value &&
    typeof value.startTime === 'string' &&
    value.startTime !== ''
  );
}
