import { resolve } from 'node:path';
import { Command, InvalidArgumentError, Option } from 'commander';
import { loadConfig } from '../../adapters/config/index.ts';
import { createSystemClock } from '../../adapters/host/index.ts';
import { type EditableBaseline, storedRuns } from '../../check/index.ts';
import { type BaselineStoreKind, baselineStoreKinds } from '../../model/config.ts';
import { Fault } from '../../model/fault.ts';
import { pinNameSchema, pinSchemaVersion } from '../../model/pin.ts';
import {
  plainText,
  type StoredRun,
  storedRunsJson,
  storedRunsOf,
  storedRunsText,
  storedRunText,
} from '../../report/index.ts';
import { openBaseline } from '../baseline-store.ts';
import { findStoredRun } from '../stored-run.ts';
import type { CommandContext } from './command.ts';
import { settingsOf } from './measuring-command.ts';

export interface StoreFlags {
  readonly config: string;
  readonly baselineStore?: BaselineStoreKind;
}

interface ListFlags extends StoreFlags {
  readonly json?: true;
}

/** The baseline that a person works on by hand. */
export function baselineByHand(
  flags: StoreFlags,
  { settings: given, signal }: Pick<CommandContext, 'settings' | 'signal'>,
): EditableBaseline {
  const settings = settingsOf(flags, given);
  const { config } = loadConfig(resolve(settings.workingDirectory, flags.config));
  const { root, env } = settings;
  const access = {
    ...(flags.baselineStore === undefined ? {} : { store: flags.baselineStore }),
    mayWrite: [],
  };
  return openBaseline(access, config.baseline, { root, env, signal, clock: createSystemClock() }).store;
}

async function readStored(store: EditableBaseline): Promise<readonly StoredRun[]> {
  return storedRunsOf(storedRuns(await store.read()), await store.pins());
}

/** What a person does with a baseline, as subcommands of the command that measures one. */
export function baselineCommands(context: CommandContext): readonly Command[] {
  const { terminal } = context;
  const subcommand = (name: string, description: string) => storeCommand(new Command(name), description);
  const open = (command: Command) => baselineByHand(command.optsWithGlobals(), context);
  const chosen = async (store: EditableBaseline, text: string) =>
    findStoredRun(await readStored(store), text, store.place);

  const list = subcommand('list', 'list the stored runs, newest first')
    .option('--json', 'print JSON')
    .action(async (_: unknown, command: Command) => {
      const { json } = command.optsWithGlobals<ListFlags>();
      const store = open(command);
      const stored = await readStored(store);
      const { width, paintOut: paint } = terminal;
      terminal.print(json ? storedRunsJson(stored) : storedRunsText(store.place, stored, { width, paint }));
    });

  const show = subcommand('show', 'print the figures of every cell of a stored run')
    .argument('<run>', 'its id, a beginning of its id, or the name of a pin')
    .option('--json', 'print JSON')
    .action(async (text: string, _: unknown, command: Command) => {
      const { json } = command.optsWithGlobals<ListFlags>();
      const found = await chosen(open(command), text);
      const { width, paintOut: paint } = terminal;
      terminal.print(json ? storedRunsJson([found]) : storedRunText(found, { width, paint }));
    });

  const remove = subcommand('remove', 'take a run out, so that no check compares with it')
    .argument('<run>', 'its id or a beginning of its id')
    .action(async (text: string, _: unknown, command: Command) => {
      const store = open(command);
      const { run, pins } = await chosen(store, text);
      await store.remove(run.id);
      const kept = pins.length === 0 ? '' : `; ${pins.join(', ')} still keeps a copy`;
      terminal.print(`removed run ${plainText(run.id)} from ${store.place}${kept}\n`);
    });

  const pin = subcommand('pin', 'keep a run by a name, such as that of a release')
    .argument('<run>', 'its id or a beginning of its id')
    .option('--as <name>', 'its name (default: the id of the run)', pinName)
    .action(async (text: string, _: unknown, command: Command) => {
      const store = open(command);
      const { run } = await chosen(store, text);
      const name: string = command.optsWithGlobals<{ as?: string }>().as ?? run.id;
      await store.pin({ schema: pinSchemaVersion, name, pinnedAt: new Date().toISOString(), run });
      terminal.print(`pinned run ${plainText(run.id)} as ${name} in ${store.place}\n`);
    });

  const unpin = subcommand('unpin', 'no longer keep a run by that name')
    .argument('<name>', 'its name')
    .action(async (name: string, _: unknown, command: Command) => {
      const store = open(command);
      const names = (await store.pins()).map((one) => one.name);
      if (!names.includes(name)) throw unknownPin(name, names, store.place);
      await store.unpin(name);
      terminal.print(`unpinned ${name} in ${store.place}\n`);
    });

  return [list, show, remove, pin, unpin];
}

/** A command with the options that say which baseline. */
export function storeCommand(command: Command, description: string): Command {
  return command
    .description(description)
    .option('--config <file>', 'configuration file', 'perf/gate.yml')
    .addOption(
      new Option(
        '--baseline-store <kind>',
        'baseline on this machine (file) or on the branch (default: as configured)',
      ).choices(baselineStoreKinds),
    );
}

function pinName(text: string): string {
  const parsed = pinNameSchema.safeParse(text);
  if (parsed.success) return parsed.data;
  throw new InvalidArgumentError(parsed.error.issues[0]?.message ?? '');
}

function unknownPin(name: string, names: readonly string[], place: string): Fault {
  return new Fault({
    code: 'E_BASELINE_PIN_UNKNOWN',
    kind: 'usage',
    place,
    cause: `nothing is pinned as ${JSON.stringify(name)}`,
    nextStep: names.length === 0 ? 'pin a run first' : `the names are ${names.join(', ')}`,
  });
}
