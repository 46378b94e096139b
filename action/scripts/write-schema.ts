import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { configSchema } from '../src/model/config.ts';
import { keepGenerated } from './generated-file.ts';

keepGenerated({
  path: fileURLToPath(new URL('../../perf/gate.schema.json', import.meta.url)),
  wanted: `${JSON.stringify(
    { ...z.toJSONSchema(configSchema, { io: 'input' }), title: 'perf-gate configuration' },
    null,
    2,
  )}\n`,
  code: 'E_SCHEMA_STALE',
  source: 'src/model/config.ts',
  command: 'npm run schema',
});
