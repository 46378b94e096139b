import { globSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { loadCatalogue, loadKeptCatalogue } from '../src/adapters/config/index.ts';
import { catalogueSchema } from '../src/model/catalogue.ts';
import { configSchema } from '../src/model/config.ts';
import { detectionSchema } from '../src/model/detection.ts';
import { detectionOverview, detectionTables, keptCatalogueText } from '../src/report/index.ts';
import { atTheTop, inputsTable, outputsTable, permissionsTable } from './action-tables.ts';
import { configTables } from './config-tables.ts';
import { dashboards } from './dashboards/index.ts';
import { errorTable, reasonTable } from './error-codes/error-tables.ts';
import { type GeneratedFile, staleFiles, withParts, writeFiles } from './generated-files.ts';
import { readingsTable } from './readings-table.ts';
import { reusableWorkflows } from './reusable-workflows.ts';

/**
 * Writes the files of the repository that are made from others: the JSON Schema of gate.yml and the tables of the
 * documents. With --check it writes nothing and fails if one is out of date.
 */
const root = join(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const readAll = (folder: string, names: readonly string[]) =>
  new Map(names.toSorted().map((name) => [name, read(join(folder, name))]));

const gate = read('action/action.yml');
const publish = read('action/publish/action.yml');
const record = read('action/record/action.yml');
const sources = readAll(
  'action/src',
  globSync('**/*.ts', { cwd: join(root, 'action/src') }).filter((path) => !path.endsWith('.test.ts')),
);
const workflows = readAll('.github/workflows', readdirSync(join(root, '.github/workflows')));
const regressions = join(root, 'perf/regressions');
const catalogue = loadCatalogue(join(regressions, 'regressions.yml'));
const keptResults = loadKeptCatalogue(join(regressions, 'results.json'));
const detection = detectionSchema.parse(JSON.parse(read('perf/detection/results.json')));

/** `action@commit # version`, as a workflow of this repository has it. */
function pinOf(action: string): string {
  const found = [...workflows.values()].join('\n').match(new RegExp(`${action}@[0-9a-f]{40} # v[\\d.]+`));
  if (found === null) throw new Error(`no workflow pins ${action}`);
  return found[0];
}

function document(path: string, source: string, parts: Readonly<Record<string, string>>): GeneratedFile {
  return { path, wanted: withParts(read(path), parts), code: 'E_README_STALE', source };
}

const files: readonly GeneratedFile[] = [
  {
    path: 'perf/gate.schema.json',
    wanted: `${JSON.stringify(
      { ...z.toJSONSchema(configSchema, { io: 'input' }), title: 'perf-gate configuration' },
      null,
      2,
    )}\n`,
    code: 'E_SCHEMA_STALE',
    source: 'action/src/model/config.ts',
  },
  {
    path: 'perf/regressions/regressions.schema.json',
    wanted: `${JSON.stringify(
      { ...z.toJSONSchema(catalogueSchema, { io: 'input' }), title: 'perf-gate catalogue of regressions' },
      null,
      2,
    )}\n`,
    code: 'E_SCHEMA_STALE',
    source: 'action/src/model/catalogue.ts',
  },
  ...Object.entries(dashboards).map(([name, dashboard]) => ({
    path: `perf/grafana/dashboards/${name}.json`,
    wanted: `${JSON.stringify(dashboard.build(), null, 2)}\n`,
    code: 'E_DASHBOARD_STALE',
    source: 'action/scripts/dashboards',
  })),
  {
    // The Marketplace demands one at the top of the repository.
    path: 'action.yml',
    wanted: atTheTop(gate),
    code: 'E_ACTION_STALE',
    source: 'action/action.yml',
  },
  ...[...reusableWorkflows(workflows, pinOf)].map(([name, wanted]) => ({
    path: `.github/workflows/${name}`,
    wanted,
    code: 'E_WORKFLOW_STALE',
    source: '.github/workflows/perf-*.yml',
  })),
  document('README.md', 'action/action.yml and perf/detection/results.json', {
    inputs: inputsTable(gate, ['config', 'compare', 'fail-on']),
    detection: detectionOverview(detection),
  }),
  document('.github/docs/detection.md', 'perf/detection/results.json', { ...detectionTables(detection) }),
  document('.github/docs/catalogue.md', 'perf/regressions', {
    results: keptCatalogueText(catalogue, keptResults),
  }),
  document('.github/SECURITY.md', 'the workflows', { permissions: permissionsTable(workflows) }),
  document('.github/docs/inputs.md', 'the action.yml files in action/', {
    inputs: inputsTable(gate),
    outputs: outputsTable(gate),
    'record-inputs': inputsTable(record),
    'record-outputs': outputsTable(record),
    'publish-inputs': inputsTable(publish),
    'publish-outputs': outputsTable(publish),
  }),
  document('.github/docs/gate-yml.md', 'action/src/model/config.ts', { keys: configTables(configSchema) }),
  document('.github/docs/series.md', 'action/src/model/reading.ts', { readings: readingsTable() }),
  document('.github/docs/errors.md', 'action/src and gate', {
    errors: errorTable(sources, read('gate')),
    reasons: reasonTable(),
  }),
];

if (process.argv.includes('--check')) {
  const stale = staleFiles(root, files, 'npm run generate, in action/');
  process.stderr.write(stale.join(''));
  if (stale.length > 0) process.exitCode = 1;
} else {
  writeFiles(root, files);
}
