import { commands } from './commands.ts';
import { runCli } from './run-cli.ts';

await runCli(commands);
