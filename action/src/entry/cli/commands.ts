import type { CreateCommand } from './command.ts';
import { command as accept } from './commands/accept.ts';
import { command as baseline } from './commands/baseline.ts';
import { command as bench } from './commands/bench.ts';
import { command as calibrate } from './commands/calibrate.ts';
import { command as capacity } from './commands/capacity.ts';
import { command as catalogue } from './commands/catalogue.ts';
import { command as check } from './commands/check.ts';
import { command as compare } from './commands/compare.ts';
import { command as down } from './commands/down.ts';
import { command as generator } from './commands/generator.ts';
import { command as history } from './commands/history.ts';
import { command as init } from './commands/init.ts';
import { command as peak } from './commands/peak.ts';
import { command as report } from './commands/report.ts';
import { command as soak } from './commands/soak.ts';
import { command as staircase } from './commands/staircase.ts';
import { command as sweep } from './commands/sweep.ts';
import { command as up } from './commands/up.ts';

/** What the package offers. The launcher lists the commands too, because it must work without Node. */
export const packagedCommands: readonly CreateCommand[] = [
  accept,
  baseline,
  calibrate,
  capacity,
  catalogue,
  check,
  compare,
  down,
  generator,
  history,
  init,
  peak,
  report,
  soak,
  staircase,
  sweep,
  up,
];

/** `bench` measures the gate itself, from its source. */
export const commands: readonly CreateCommand[] = [...packagedCommands, bench];
