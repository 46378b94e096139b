import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { chmod, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createFixture } from 'fs-fixture';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '../../..');
const images = join(root, '.ci/images');

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

/** By variable, the image that the compose file and the Dockerfiles name. */
function named(): Map<string, string> {
  const texts = ['docker-compose.ci.yml', 'app/Dockerfile', 'db/Dockerfile'].map((path) =>
    readFileSync(join(root, path), 'utf8'),
  );
  const all = texts.flatMap((text) => [...text.matchAll(/(\w+_IMAGE)(?::-|=)([^\s}]+)/g)]);
  const byVariable = new Map(all.map(([, variable = '', image = '']) => [variable, image]));
  for (const [, variable = '', image] of all) expect(byVariable.get(variable), variable).toBe(image);
  for (const text of texts) expect(text).not.toMatch(/^\s*(image: |FROM )(?!\$\{)/m);
  return byVariable;
}

it('every image can be replaced by one that was made here, which has no digest', async () => {
  const { stdout } = await promisify(execFile)(images, ['--env']);
  const made = new Map(
    stdout
      .trim()
      .split('\n')
      .map((line) => line.split('=') as [string, string]),
  );
  const names = named();
  // No package holds Grafana.
  names.delete('GRAFANA_IMAGE');
  expect([...made.keys()].sort()).toEqual([...names.keys()].sort());
  for (const [variable, image] of made) {
    if (variable !== 'INFLUXDB_IMAGE') expect(image, variable).toBe(names.get(variable)?.split('@')[0]);
  }
});

it('the pinned digest is pulled where there is a registry, and gets the plain tag', async () => {
  await using fixture = await createFixture({
    'bin/docker': '#!/bin/sh\ncase $1 in image) exit 1 ;; *) echo "$*" >>"$LOG" ;; esac\n',
    log: '',
  });
  await chmod(fixture.getPath('bin/docker'), 0o755);
  const log = fixture.getPath('log');
  const env = { PATH: `${fixture.getPath('bin')}:${process.env.PATH}`, LOG: log, JAVA_HOME: '/nonexistent' };
  await promisify(execFile)(images, [], { env: { ...env, TESTCONTAINERS_RYUK_DISABLED: 'true' } });
  const calls = (await readFile(log, 'utf8')).split('\n');
  for (const [variable, image] of named()) {
    const [tagged = '', digest] = image.split('@');
    if (['GRAFANA_IMAGE', 'INFLUXDB_IMAGE'].includes(variable)) continue;
    const pulled = digest === undefined ? tagged : `${tagged.split(':')[0]}@${digest}`;
    expect(calls, variable).toContain(`pull --quiet ${pulled}`);
    if (digest !== undefined) expect(calls, variable).toContain(`tag ${pulled} ${tagged}`);
  }
});
