import { join, relative, resolve } from 'node:path';
import { loadConfig } from '../../../adapters/config/index.ts';
import { localCommit } from '../../../adapters/git/index.ts';
import { createSystemClock } from '../../../adapters/host/index.ts';
import { judgeSuite, storedRuns, suiteOfRun } from '../../../check/index.ts';
import { planSuite } from '../../../measure/index.ts';
import type { Config } from '../../../model/config.ts';
import type { CheckRecord, MeasuredSide } from '../../../model/record.ts';
import { openBaseline } from '../../baseline-store.ts';
import { gitIn } from '../../checkout-git.ts';
import { findResult, resultOfCommit, unknownResult } from '../../kept-results.ts';
import type { CommandContext, CreateCommand } from '../command.ts';
import { settingsOf } from '../measuring-command.ts';
import { type PageFlags, pageCommand, showRecord } from '../page-command.ts';

export const command: CreateCommand = (context) =>
  pageCommand('compare', 'compare two runs that were measured before, in the terminal and as a page')
    .argument('<base>', 'id or folder of a check, or a commit, branch or tag that was measured')
    .argument('<head>', 'what to compare with it')
    .action(async (base: string, head: string, flags: PageFlags) => {
      const settings = settingsOf(flags, context.settings);
      const { config } = loadConfig(resolve(settings.workingDirectory, flags.config));
      const own = { ...context, settings };
      const [before, after] = [await measuredSide(base, own, config), await measuredSide(head, own, config)];
      const { suite } = after.run;
      const { run } = after;
      const verdict = judgeSuite(
        config,
        suiteOfRun(planSuite(config, suite, flags.config), run),
        { run, stored: [before.run] },
        { createdAt: new Date(run.finishedAt), seconds: seconds(after) },
      );
      const record: CheckRecord = { verdict, head: after, base: before, stored: [before.run] };
      const folder = join(settings.root, '.perf-gate', 'compared', `${before.run.id}-${run.id}`);
      const resultDirectory = relative(settings.workingDirectory, folder);
      await showRecord({ record, resultDirectory }, flags, context);
    });

function seconds({ run }: MeasuredSide): number {
  return (Date.parse(run.finishedAt) - Date.parse(run.startedAt)) / 1000;
}

/** What was measured under that name: a check's head, or the newest run of a commit among the checks and the baseline. */
async function measuredSide(
  name: string,
  { settings, signal }: Pick<CommandContext, 'settings' | 'signal'>,
  config: Config,
): Promise<MeasuredSide> {
  const { root, env } = settings;
  const kept = await findResult(settings, name);
  if (kept !== undefined) return kept.record.head;
  const commit = await localCommit(gitIn(root, env, signal), name);
  if (commit === undefined) throw unknownResult(settings, name);
  const result = await resultOfCommit(settings, commit);
  if (result !== undefined) return result.record.head;
  const baseline = openBaseline({ mayWrite: [] }, config.baseline, {
    root,
    env,
    signal,
    clock: createSystemClock(),
  });
  const run = storedRuns(await baseline.store.read()).findLast(({ code }) => code.commit === commit);
  if (run === undefined) throw unknownResult(settings, name);
  return { run, series: [], profiles: [] };
}
