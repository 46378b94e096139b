import { enableCompileCache } from 'node:module';
import { join } from 'node:path';

// Node then starts the program in half the time. Only in the launcher's cache, which it refuses if others can write to it.
const { GATE_CACHE } = process.env;
if (GATE_CACHE !== undefined) enableCompileCache(join(GATE_CACHE, 'compiled'));
const [{ commands }, { runCli }] = await Promise.all([import('./commands.ts'), import('./run-cli.ts')]);

await runCli(commands);
