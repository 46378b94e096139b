import { dirname, join, relative, resolve } from 'node:path';
import { Argument } from 'commander';
import { loadCatalogue, loadConfig, loadKeptCatalogue } from '../../../adapters/config/index.ts';
import { recordedOf } from '../../../detection/index.ts';
import type { Measurements } from '../../../judge/index.ts';
import { catalogue, keepRows, namedRegressions, requireKnownNames } from '../../../limits/catalogue/index.ts';
import { planSuite } from '../../../measure/index.ts';
import { type CatalogueReport, type CatalogueRow, isBad, isOpen } from '../../../model/catalogue.ts';
import { exitCodes } from '../../../model/fault.ts';
import { catalogueFinding } from '../../../report/index.ts';
import { openCatalogueChecks, requireCommitted, requirePatches } from '../../catalogue-checks.ts';
import { gitIn } from '../../checkout-git.ts';
import { patchFolder } from '../../config-folders.ts';
import { runExperiment } from '../../experiment.ts';
import { gateCommand } from '../../gate-command.ts';
import type { CommandContext, CreateCommand } from '../command.ts';
import { addRecorded, readRecordedIfAny } from '../detection-input.ts';
import {
  type ExperimentFlags,
  experimentCommand,
  showFinding,
  showingWhatIsMeasured,
} from '../experiment-command.ts';
import { keepResults } from '../keep-results.ts';
import { settingsOf } from '../measuring-command.ts';
import { nextStepsOf } from '../page-command.ts';

interface CatalogueFlags extends ExperimentFlags {
  readonly again?: true;
  readonly write?: true;
  readonly rows?: string;
}

export const command: CreateCommand = (context) =>
  experimentCommand(
    'catalogue',
    'apply known regressions one after the other, and see which of them a check catches',
  )
    .addArgument(new Argument('[name...]', 'regressions of the catalogue (default: all)'))
    .option('--again', 'check again what was checked before')
    .option(
      '--rows <folder>',
      'add what is measured to the rows in this folder, as `gate bench detection` reads them',
    )
    .option('--write', 'keep the results next to the patches, in results.json')
    .action((names: readonly string[], flags: CatalogueFlags) => checkCatalogue(names, flags, context));

async function checkCatalogue(
  names: readonly string[],
  flags: CatalogueFlags,
  context: CommandContext,
): Promise<void> {
  const { terminal, signal, exit } = context;
  const settings = settingsOf(flags, context.settings);
  const path = resolve(settings.workingDirectory, flags.config);
  const patches = patchFolder(dirname(path));
  const place = join(patches, 'regressions.yml');
  const shown = relative(settings.workingDirectory, place);
  const all = loadCatalogue(place);
  const wanted = namedRegressions(all, names, shown);
  const results = join(patches, 'results.json');
  const kept = flags.write ? loadKeptCatalogue(results) : undefined;
  const { config } = loadConfig(path);
  for (const one of wanted) {
    requireKnownNames(one, planSuite(config, one.regression.suite, flags.config).cells, shown);
  }
  requirePatches(patches, wanted);
  const folders = flags.rows === undefined ? [] : [resolve(settings.workingDirectory, flags.rows)];
  // Rows that cannot be read are found now, and not after minutes of measuring.
  for (const folder of folders) readRecordedIfAny(folder);
  const git = gitIn(settings.root, settings.env, signal);
  await requireCommitted(git, settings.root, dirname(path), folders);
  await runExperiment(
    { configPath: flags.config, stack: flags.stack, size: {} },
    settings,
    terminal.onProgress,
    signal,
    async (experiment) => {
      const { id, code, machine, stack } = experiment;
      const next = nextStepsOf(context, flags.config);
      const keepRun = async (change: string, measured: Pick<Measurements, 'run' | 'base'>) => {
        const recorded = recordedOf(measured, { change });
        // A run that cannot be judged, as one that did not settle, has no blocks.
        if (recorded.some(({ run }) => run.invalid.length > 0)) return;
        for (const folder of folders) await addRecorded(folder, recorded);
      };
      const request = {
        configPath: flags.config,
        stack: flags.stack,
        conditions: { ...machine, stack },
        commit: code.commit,
        patches,
        next,
        keepRun,
      };
      const checks = await openCatalogueChecks(request, settings, terminal.onProgress, signal);
      const about = { id, commit: code.commit, machine, startedAt: new Date().toISOString() };
      const rows: CatalogueRow[] = [];
      const suggested = { command: gateCommand(settings, 'catalogue', flags.config), pages: checks.pages };
      try {
        await showingWhatIsMeasured(
          () => catalogue(wanted, { again: flags.again ?? false }, checks, rows),
          () => rows.length > 0,
          async (partial) => {
            const result: CatalogueReport = {
              schema: 1,
              ...about,
              ...partial,
              rows,
              left: wanted.length - rows.length,
            };
            const found = { finding: catalogueFinding(result, suggested), result };
            await showFinding(experiment, 'catalogue', found, flags, context);
            if (kept) await keepResults(results, keepRows(kept, rows, Object.keys(all.regressions)));
          },
        );
      } finally {
        await checks.close();
      }
      exit(exitCodeOf(rows));
    },
  );
}

/** What could not be checked is no regression of the gate. */
function exitCodeOf(rows: readonly CatalogueRow[]): number {
  if (rows.some(isBad)) return exitCodes.regression;
  return rows.some(isOpen) ? exitCodes.notMeasured : exitCodes.pass;
}
