import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { z } from 'zod';
import { writeFault } from './atomic-file.ts';
import { bootId, killProcess, sessionMembers, startTimeOf } from './process-table.ts';

const entrySchema = z.object({
  role: z.string(),
  /** Leader of a session that also contains every process it starts. */
  pid: z.int().min(2),
  startTime: z.string().min(1),
  /** The boot of the machine to which pid and start time belong. */
  boot: z.string(),
});
type Entry = z.infer<typeof entrySchema>;

/** A process may start another one just before it is killed. */
const mostRounds = 5;

/** Lists the running processes of a check in a file, so that the next gate can end them if this one is killed. */
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

  /** Kills all processes that an earlier gate left running. Returns their names. */
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
 * Processes in the session of the entry. The kernel does not reuse a session's number while the session has members, so
 * its leader is either the process that was started, or gone.
 */
function membersOf({ pid, startTime, boot }: Entry): readonly number[] {
  if (boot !== bootId()) return [];
  const leader = startTimeOf(pid);
  return leader === undefined || leader === startTime ? sessionMembers(pid) : [];
}

function readEntries(path: string): readonly Entry[] {
  try {
    const entries = z.array(z.unknown()).safeParse(JSON.parse(readFileSync(path, 'utf8'))).data ?? [];
    return entries.flatMap((entry) => entrySchema.safeParse(entry).data ?? []);
  } catch (error) {
    const missing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    if (missing || error instanceof SyntaxError) return [];
    throw error;
  }
}
