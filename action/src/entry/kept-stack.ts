import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { startTimeOf, writeFault } from '../adapters/host/index.ts';
import type { Clock } from '../measure/index.ts';
import type { Settings } from './settings.ts';
import { openWorkspace } from './workspace.ts';

const keeperSchema = z.object({ pid: z.int().min(2), startTime: z.string() });
type Keeper = z.infer<typeof keeperSchema>;

function keeperFile({ root }: Pick<Settings, 'root'>): string {
  return join(dirname(openWorkspace(root, '').lockFile), 'up.json');
}

/** Notes that this process keeps a stack running. The function that it returns takes the note back. */
export function noteKeeper(settings: Settings): () => void {
  const path = keeperFile(settings);
  const keeper: Keeper = { pid: process.pid, startTime: startTimeOf(process.pid) ?? '' };
  try {
    writeFileSync(path, JSON.stringify(keeper));
  } catch (error) {
    throw writeFault(error, path, 'E_RESULTS_WRITE');
  }
  return () => rmSync(path, { force: true });
}

/** Ends the process that keeps a stack of this checkout running, and waits for its end. False if there is none. */
export async function endKeeper(settings: Settings, clock: Clock, signal: AbortSignal): Promise<boolean> {
  const keeper = readKeeper(keeperFile(settings));
  const isRunning = () => keeper !== undefined && startTimeOf(keeper.pid) === keeper.startTime;
  if (keeper === undefined || !isRunning()) return false;
  process.kill(keeper.pid, 'SIGTERM');
  while (isRunning()) await clock.wait(100, signal);
  return true;
}

function readKeeper(path: string): Keeper | undefined {
  try {
    return keeperSchema.safeParse(JSON.parse(readFileSync(path, 'utf8'))).data;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT' || error instanceof SyntaxError) return undefined;
    throw error;
  }
}
