import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { runCommand } from './command.ts';
import type { Ending, Job, Print } from './jobs.ts';
import { countTests } from './junit.ts';
import { install, type Tool } from './tools.ts';

/** Where a run works. Its commands share one environment, to which those that get a tool add where they put it. */
export interface Place {
  readonly root: string;
  readonly cache: string;
  /** A folder for reports that nobody reads after the run. */
  readonly scratch: string;
  readonly env: NodeJS.ProcessEnv;
}

export interface Step extends Omit<Job, 'run'> {
  readonly command: readonly string[];
  /** The folder where the command leaves its JUnit reports. */
  readonly reports?: string;
  /** How the step ends because the machine lacks something; undefined if it lacks nothing. */
  readonly lacks?: (print: Print, stop: AbortSignal) => Promise<Ending | undefined>;
}

/** A command. It counts as one test, unless it leaves reports that count theirs. */
export function step({ env }: Place, { command, reports, lacks, ...job }: Step): Job {
  const run = async (print: Print, stop: AbortSignal): Promise<Ending> => {
    const lack = await lacks?.(print, stop);
    if (lack !== undefined) return lack;
    // Counts of an earlier run would be taken for those of this one.
    if (reports !== undefined) {
      for (const kind of ['surefire', 'failsafe']) {
        rmSync(join(reports, `${kind}-reports`), { recursive: true, force: true });
      }
    }
    const code = await runCommand(command, { env, print, stop, background: job.lane === 'back' });
    const counts = reports === undefined ? { passed: 0, failed: 0 } : countTests(reports);
    if (code !== 0) return { kind: 'failed', counts, note: `exit ${code}` };
    if (counts.failed > 0) return { kind: 'failed', counts };
    if (counts.passed > 0) return { kind: 'ok', counts };
    const one = { kind: 'ok', counts: { passed: 1, failed: 0 } } as const;
    return reports === undefined ? one : { ...one, note: 'no tests reported' };
  };
  return { ...job, run };
}

/** The launcher finds or gets what it also gets for a check, and prints the environment to use it with. */
export function launcherStep(
  { root, env }: Place,
  wanted: readonly string[],
  { optional = false } = {},
): Job {
  const run = async (print: Print, stop: AbortSignal): Promise<Ending> => {
    let output = '';
    const collect = (text: string) => {
      output += text;
    };
    const code = await runCommand([join(root, 'gate'), 'env', ...wanted], { env, print: collect, stop });
    const setting = /^([A-Z][A-Z0-9_]*)=(.*)\n/gm;
    print(output.replaceAll(setting, ''));
    if (code !== 0) return { kind: optional ? 'skipped' : 'failed', note: `exit ${code}` };
    for (const [, name = '', value] of output.matchAll(setting)) env[name] = value;
    return { kind: 'ok' };
  };
  return { name: `get ${wanted.join(' and ')}`, lane: 'back', run };
}

/** Installs a tool where the machine has none. Whoever needs the tool says whether doing without is a failure. */
export function installStep({ cache, env }: Place, tool: Tool): Job {
  const run = async (print: Print, stop: AbortSignal): Promise<Ending> => {
    const installed = await install(tool, cache, async (command, more) => {
      const code = await runCommand(command, { env: { ...env, ...more }, print, stop, background: true });
      return code === 0;
    });
    return { kind: installed ? 'ok' : 'skipped' };
  };
  return { name: `get ${tool.name}`, lane: 'back', run };
}
