import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { writeFault } from './atomic-file.ts';
import { bootId, sessionMembers, startTimeOf } from './process-table.ts';

interface Entry {
  readonly role: string;
  /** Leader of a session of its own, which what it starts belongs to as well. */
  readonly pid: number;
  readonly startTime: string;
  /** The machine's start that pid and time belong to. */
  readonly boot: string;
}

/** What is killed may have just started another process. */
const mostRounds = 5;

/**
 * Which processes of a check run, kept in a file: a gate that was killed outright cannot clean up, so the next
 * one does.
 */
export class Leftovers {
  readonly #path: string;
  #entries: readonly Entry[] = [];

  constructor(path: string) {
    this.#path = path;
  }

  add(role: string, pid: number): void {
    this.#entries = [...this.#entries, { role, pid, startTime: startTimeOf(pid) ?? '', boot: bootId() }];
    this.#save();
  }

  remove(pid: number): void {
    this.#entries = this.#entries.filter((entry) => entry.pid !== pid);
    this.#save();
  }

  /** Kills what an earlier gate left running, and says what that was. */
  kill(): readonly string[] {
    const found = readEntries(this.#path).filter((entry) => membersOf(entry).length > 0);
    for (let round = 0; round < mostRounds; round += 1) {
      for (const pid of found.flatMap(membersOf)) killProcess(pid);
    }
    rmSync(this.#path, { force: true });
    return found.map(({ role, pid }) => `${role} (process ${pid})`);
  }

  #save(): void {
    if (this.#entries.length === 0) {
      rmSync(this.#path, { force: true });
      return;
    }
    try {
      writeFileSync(`${this.#path}.new`, JSON.stringify(this.#entries));
      renameSync(`${this.#path}.new`, this.#path);
    } catch (error) {
      throw writeFault(error, this.#path, 'E_RESULTS_WRITE');
    }
  }
}

/**
 * Processes of the entry's session. Its number is given to no other process as long as one of them lives, so the
 * leader either is the one that was started, or is gone.
 */
function membersOf({ pid, startTime, boot }: Entry): readonly number[] {
  if (boot !== bootId()) return [];
  const leader = startTimeOf(pid);
  return leader === undefined || leader === startTime ? sessionMembers(pid) : [];
}

function killProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    // It has ended by itself meanwhile.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
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
    value.startTime !== '' &&
    'boot' in value &&
    typeof value.boot === 'string'
  );
}
