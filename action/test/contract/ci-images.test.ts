import { execFile } from 'node:child_process';
import { chmod, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createFixture } from 'fs-fixture';
import { expect, it } from 'vitest';

const images = join(import.meta.dirname, '../../../.ci/images');

/**
 * An engine that has pulled every image except the exporters, and keeps the recipes of those that it builds. It answers
 * the question for a package's version with both versions of the compose file.
 */
const engine = `#!/bin/sh
case $1 in
  image)
    for image; do :; done
    case $image in *exporter:*) cat "$RECIPES/\${image##*/}" ;; esac
    ;;
  run) sed -n 's/.*exporter:v\\([0-9.]*\\).*/\\1-1/p' docker-compose.ci.yml ;;
  build)
    while [ $# -gt 0 ]; do
      case $1 in
        --tag) image=$2 ;;
        perf-gate.recipe=*) recipe=\${1#*=} ;;
      esac
      shift
    done
    echo "$recipe" >"$RECIPES/\${image##*/}"
    ;;
esac
`;

it('images are made once, and again only after their recipe has changed', async () => {
  await using fixture = await createFixture({ 'bin/docker': engine, recipes: {} });
  await chmod(fixture.getPath('bin/docker'), 0o755);
  const env = {
    PATH: `${fixture.getPath('bin')}:${process.env.PATH}`,
    RECIPES: fixture.getPath('recipes'),
    TESTCONTAINERS_RYUK_DISABLED: 'true',
  };
  const made = async () => {
    const { stderr } = await promisify(execFile)(images, ['--no-pull'], { env });
    return [...stderr.matchAll(/^images: (\S+):v\S+ made: \d+ s$/gm)].map(([, image]) => image);
  };
  expect(await made()).toEqual(['prom/mysqld-exporter', 'oliver006/redis_exporter']);
  expect(await made()).toEqual([]);
  const [first = ''] = (await readdir(env.RECIPES)).sort();
  await writeFile(join(env.RECIPES, first), 'another recipe');
  expect(await made()).toEqual(['prom/mysqld-exporter']);
});
