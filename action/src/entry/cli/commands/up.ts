import { Command, Option } from 'commander';
import type { BootedService } from '../../../measure/index.ts';
import { type StackKind, stackKinds } from '../../../model/config.ts';
import { gateCommand } from '../../gate-command.ts';
import { keepRunning } from '../../keep-running.ts';
import type { CreateCommand } from '../command.ts';
import { settingsOf } from '../measuring-command.ts';

interface UpFlags {
  readonly config: string;
  readonly stack?: StackKind;
  readonly dashboards?: true;
}

/** The profile of the compose file that holds what people look at. */
const dashboards = 'dashboards';

export const command: CreateCommand = (context) =>
  new Command('up')
    .description(
      'start the service with its data for you to look at and to load by hand, until Ctrl-C or `gate down`',
    )
    .option('--config <file>', 'configuration file', 'perf/gate.yml')
    .addOption(new Option('--stack <kind>', 'as for check').choices(stackKinds))
    .option('--dashboards', `also start the services of the compose file's profile \`${dashboards}\``)
    .action(async ({ config, stack, dashboards: wanted }: UpFlags) => {
      const { terminal, signal } = context;
      const settings = settingsOf({ config }, context.settings);
      const request = {
        configPath: config,
        stack: wanted ? ('compose' as const) : stack,
        profiles: wanted ? [dashboards] : [],
      };
      const ready = (service: BootedService) => {
        terminal.print(`${addressLines(service).join('\n')}\n`);
        terminal.print(`It runs until you press Ctrl-C or run ${gateCommand(settings, 'down', config)}.\n`);
      };
      await keepRunning(request, settings, terminal.onProgress, ready, signal);
    });

function addressLines({
  url,
  metricsUrls = [],
  backingMetricsUrls = [],
  addresses = {},
}: BootedService): readonly string[] {
  const lines: readonly (readonly [string, string])[] = [
    ['service', url],
    ...metricsUrls.map((page) => ['metrics', page] as const),
    ...backingMetricsUrls.map((page) => ['backing metrics', page] as const),
    ...Object.entries(addresses),
  ];
  const width = Math.max(...lines.map(([name]) => name.length));
  return lines.map(([name, address]) => `${name.padEnd(width)}  ${address}`);
}
