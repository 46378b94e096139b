import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { configSchema } from '../model/config.ts';

const path = fileURLToPath(new URL('../../../perf/gate.schema.json', import.meta.url));
const wanted = `${JSON.stringify(
  { ...z.toJSONSchema(configSchema, { io: 'input' }), title: 'perf-gate configuration' },
  null,
  2,
)}\n`;

function readIfThere(): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}

/** The first lines that differ, as `- on disk` and `+ wanted`. */
function difference(present: string): string {
  const have = present.split('\n');
  const want = wanted.split('\n');
  const start = want.findIndex((line, index) => line !== have[index]);
  const from = start === -1 ? want.length : start;
  return [
    `@@ line ${from + 1} @@`,
    ...have.slice(from, from + 5).map((line) => `- ${line}`),
    ...want.slice(from, from + 5).map((line) => `+ ${line}`),
  ].join('\n');
}

if (process.argv.includes('--check')) {
  const present = readIfThere();
  if (present !== wanted) {
    process.stderr.write(
      `error[E_SCHEMA_STALE] perf/gate.schema.json: not what src/model/config.ts describes\n${difference(present)}\n  next: npm run schema\n`,
    );
    process.exitCode = 1;
  }
} else {
  writeFileSync(path, wanted);
}
