import { relative, resolve } from 'node:path';
import { Argument, Command, InvalidArgumentError } from 'commander';
import type { SecretVariable } from '../../../adapters/kubernetes/index.ts';
import { writeReports } from '../../../adapters/results/index.ts';
import { exitCodes } from '../../../model/fault.ts';
import { findingPage, findingText, sharedLoadFinding } from '../../../report/index.ts';
import { collectLoad } from '../../collect-load.ts';
import { writeKubernetesLoad } from '../../kubernetes-load.ts';
import type { CommandContext, CreateCommand } from '../command.ts';
import { settingsOf } from '../measuring-command.ts';
import { durationInSeconds, wholeNumber } from '../option-values.ts';

interface KubernetesFlags {
  readonly config: string;
  readonly url: string;
  readonly generators: number;
  readonly guard: number;
  readonly counted: number;
  readonly secret: readonly SecretVariable[];
  readonly name?: string;
  readonly folder?: string;
  readonly namespace?: string;
  readonly image?: string;
  readonly claim?: string;
  readonly separate?: true;
}

/** k6-operator starts a pod for each. */
const mostGenerators = 500;

export const command: CreateCommand = (context) =>
  new Command('generator')
    .description('share a load among several machines')
    .addCommand(kubernetesCommand(context))
    .addCommand(collectCommand(context));

function kubernetesCommand(context: CommandContext): Command {
  return new Command('kubernetes')
    .description('write manifests for k6-operator, and say how to apply them and how to collect the results')
    .addArgument(new Argument('<cell>', 'scenario@load of the configuration'))
    .requiredOption(
      '--url <address>',
      'address of the service in the cluster; allowTargets has to list its host',
    )
    .requiredOption('--generators <number>', 'pods that share the load', wholeNumber(mostGenerators))
    .option('--guard <duration>', 'time at the start that is not counted', durationInSeconds, 10)
    .option('--counted <duration>', 'time that is counted', durationInSeconds, 60)
    .option('--name <name>', 'name of the TestRun (default: one after the cell)')
    .option('--namespace <name>', 'namespace (default: that of kubectl)', namespaceName)
    .option(
      '--image <image>',
      'image with k6 and a shell (default: grafana/k6 in the version that runs here)',
      word,
    )
    .option(
      '--claim <name>',
      'PersistentVolumeClaim for the results (default: a new one, ReadWriteMany)',
      word,
    )
    .option('--secret <variable=name/key>', 'variable whose value a Secret of the cluster holds', secrets, [])
    .option('--separate', 'put no two generators on one node')
    .option('--folder <folder>', 'where to write (default: .perf-gate/generators/NAME)')
    .option('--config <file>', 'configuration file', 'perf/gate.yml')
    .action(async (cell: string, flags: KubernetesFlags) => {
      const { config: configPath, guard, counted, secret, separate = false, name, image, folder } = flags;
      const { commands, folder: written } = await writeKubernetesLoad(
        {
          ...flags,
          configPath,
          cell,
          times: { guard, counted },
          secrets: secret,
          separate,
          name,
          image,
          folder,
        },
        settingsOf(flags, context.settings),
        context.terminal.onProgress,
      );
      context.terminal.print(
        `wrote ${written}\n\nIn a cluster with k6-operator, run:\n${commands.map((one) => `  ${one}\n`).join('')}`,
      );
    });
}

function collectCommand({ settings, terminal, exit }: CommandContext): Command {
  return new Command('collect')
    .description('merge the results of all generators into one')
    .addArgument(new Argument('<folder>', 'folder that `gate generator kubernetes` wrote'))
    .action(async (asked: string) => {
      const folder = resolve(settings.workingDirectory, asked);
      const shown = relative(settings.workingDirectory, folder) || '.';
      const load = await collectLoad(folder, shown);
      const finding = sharedLoadFinding(load);
      await writeReports(folder, [
        { name: 'load.json', text: `${JSON.stringify(load, null, 2)}\n` },
        { name: 'load.html', text: findingPage(finding) },
      ]);
      const kept = { label: 'figures', text: `load.json and load.html in ${shown}` };
      const { width, paintOut: paint } = terminal;
      terminal.print(findingText({ ...finding, facts: [...finding.facts, kept] }, { width, paint }));
      if (load.invalid.length > 0) exit(exitCodes.notMeasured);
    });
}

function namespaceName(text: string): string {
  if (/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(text)) return text;
  throw new InvalidArgumentError('expected up to 63 lower-case letters, digits and dashes');
}

function word(text: string): string {
  if (/^\S+$/.test(text)) return text;
  throw new InvalidArgumentError('expected one word');
}

function secrets(text: string, before: readonly SecretVariable[]): readonly SecretVariable[] {
  const [, variable, name, key] = /^([A-Za-z_]\w*)=([a-z0-9][a-z0-9.-]*)\/([\w.-]+)$/.exec(text) ?? [];
  if (variable === undefined || name === undefined || key === undefined) {
    throw new InvalidArgumentError('expected VARIABLE=SECRET/KEY, such as LOGIN_PASSWORD=shop/password');
  }
  return [...before, { variable, name, key }];
}
