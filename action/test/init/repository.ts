import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { OwnWorkflows } from '../../src/init/files/workflow-files.ts';
import type { Repository } from '../../src/init/repository.ts';

/** Creates a repository that contains these files. */
export function repositoryOf(
  files: Readonly<Record<string, string>>,
  { name = 'shop', branch = 'main' as string | undefined } = {},
): Repository {
  return {
    name,
    branch,
    paths: Object.keys(files).toSorted(),
    text: (path) => (Object.hasOwn(files, path) ? files[path] : undefined),
  };
}

const folder = join(import.meta.dirname, '../../../.github/workflows');
const read = (name: string) => readFileSync(join(folder, name), 'utf8');

export const ownWorkflows: OwnWorkflows = {
  'perf-gate.yml': read('perf-gate.yml'),
  'perf-baseline.yml': read('perf-baseline.yml'),
  'perf-publish.yml': read('perf-publish.yml'),
  'release.yml': read('release.yml'),
};

export const source = {
  repository: 'octo/perf-gate',
  commit: '0123456789abcdef0123456789abcdef01234567',
  version: 'v1.2.3',
};
