import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { Command } from 'commander';
import { loadConfig } from '../../../adapters/config/index.ts';
import { writeFault } from '../../../adapters/host/index.ts';
import { branchHistory, storedRuns } from '../../../check/index.ts';
import { planSuite } from '../../../measure/index.ts';
import type { Config } from '../../../model/config.ts';
import type { Run } from '../../../model/run.ts';
import type { Verdict } from '../../../model/verdict.ts';
import {
  type BadgeState,
  badgeJson,
  badgeSvg,
  renderHistory,
  verdictSentence,
} from '../../../report/index.ts';
import { baselineByHand, type StoreFlags, storeCommand } from '../baseline-commands.ts';
import type { CreateCommand } from '../command.ts';
import { openPage } from '../page-command.ts';

interface HistoryFlags extends StoreFlags {
  readonly suite?: string;
  readonly out: string;
  readonly open?: true;
}

export const command: CreateCommand = (context) =>
  storeCommand(new Command('history'), 'write a page and a badge of all stored runs')
    .option('--suite <name>', 'suite that the badge is about (default: that of the newest run)')
    .option(
      '--out <file>',
      'the page; badge.svg and badge.json go to its folder',
      '.perf-gate/history/index.html',
    )
    .option('--open', 'open the page in your browser')
    .action(async (flags: HistoryFlags) => {
      const { settings, terminal } = context;
      const { config } = loadConfig(resolve(settings.workingDirectory, flags.config));
      const store = baselineByHand(flags, context);
      const runs = storedRuns(await store.read());
      const name = flags.suite ?? suiteOf(runs, config);
      const plan = planSuite(config, name, flags.config);
      const { history, newest } = branchHistory(config, { name, plan }, runs, await store.pins());
      const state = stateOf(newest);
      const page = resolve(settings.workingDirectory, flags.out);
      const sentence =
        newest === undefined
          ? 'no run is stored yet.'
          : `the newest run of suite ${name}: ${verdictSentence(newest, 250)}`;
      const files = {
        [page]: renderHistory(history, { name: config.name ?? '', sentence, state, place: store.place }),
        [join(dirname(page), 'badge.svg')]: badgeSvg(state),
        [join(dirname(page), 'badge.json')]: badgeJson(state),
      };
      try {
        await mkdir(dirname(page), { recursive: true });
        for (const [path, text] of Object.entries(files)) await writeFile(path, text);
      } catch (error) {
        throw writeFault(error, flags.out, 'E_RESULTS_WRITE');
      }
      terminal.print(`wrote ${flags.out}, with badge.svg and badge.json in its folder\n`);
      if (flags.open) await openPage(page, terminal.printError);
    });

/** The suite of the newest run, if the configuration still has it. */
function suiteOf(runs: readonly Run[], { suites }: Config): string {
  const measured = runs.at(-1)?.suite ?? '';
  return measured in suites ? measured : (Object.keys(suites)[0] ?? measured);
}

/** Only a run that was compared says anything about the branch. */
function stateOf(verdict: Verdict | undefined): BadgeState {
  if (verdict === undefined || verdict.comparison.kind === 'none') return 'unknown';
  switch (verdict.outcome) {
    case 'regression':
    case 'accepted':
      return verdict.outcome;
    case 'pass':
    case 'coarse':
      return 'pass';
    default:
      return 'undecided';
  }
}
