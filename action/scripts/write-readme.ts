import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { keepGenerated } from './generated-file.ts';
import { inputsTable, outputsTable, permissionsTable, withParts } from './readme-tables.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const workflows = join(root, '.github/workflows');
const path = join(root, 'README.md');
const gate = readFileSync(join(root, 'action/action.yml'), 'utf8');
const publish = readFileSync(join(root, 'action/publish/action.yml'), 'utf8');

keepGenerated({
  path,
  wanted: withParts(readFileSync(path, 'utf8'), {
    inputs: inputsTable(gate),
    outputs: outputsTable(gate),
    'publish-inputs': inputsTable(publish),
    'publish-outputs': outputsTable(publish),
    permissions: permissionsTable(
      new Map(
        readdirSync(workflows)
          .toSorted()
          .map((name) => [name, readFileSync(join(workflows, name), 'utf8')]),
      ),
    ),
  }),
  code: 'E_README_STALE',
  source: 'action/action.yml, action/publish/action.yml and the workflows',
  command: 'npm run readme',
});
