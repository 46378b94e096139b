import { transform } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { planInit } from '../../src/init/init-plan.ts';
import { initText } from '../../src/init/init-text.ts';
import { configSchema } from '../../src/model/config.ts';
import { plainPaint } from '../../src/report/format/paint.ts';
import { displayWidth } from '../../src/report/format/text-layout.ts';
import { repositories } from '../init/repositories.ts';
import { ownWorkflows, source } from '../init/repository.ts';

const width = 100;

describe.each(Object.entries(repositories))('what is written for %s', (name, repository) => {
  const plan = planInit({ repository, service: undefined, source, workflows: ownWorkflows });
  const text = initText(plan, {
    width,
    paint: plainPaint,
    check: '../perf-gate/gate check',
    pathOf: (path) => path,
  });

  it('is said, with the files but for the workflows, which are those of this project', async () => {
    const files = plan.files
      .filter(({ path }) => !path.startsWith('.github/'))
      .map((file) => `\n--- ${file.path}\n${file.text}`);
    await expect([text, ...files].join('')).toMatchFileSnapshot(`init/${name}.txt`);
  });

  it('is a configuration that a check takes, and YAML that means what it was made of', () => {
    const yaml = plan.files.filter(({ path }) => path.endsWith('.yml'));
    expect(yaml.length).toBeGreaterThanOrEqual(4);
    for (const file of yaml) expect(() => parse(file.text), file.path).not.toThrow();
    const config = parse(plan.files.find(({ path }) => path === 'perf/gate.yml')?.text ?? '');
    expect(configSchema.safeParse(config)).toMatchObject({ success: true });
    expect(config.name).not.toMatch(/\p{Cc}|\u202e/u);
  });

  it('is said without a character that a terminal would act on, on lines that fit', () => {
    expect(text.replaceAll('\n', '')).not.toMatch(/\p{Cc}|\u202e/u);
    expect(text.split('\n').filter((line) => displayWidth(line) > width)).toEqual([]);
  });

  it('is a script that any JavaScript engine reads', async () => {
    const script = plan.files.find(({ path }) => path.endsWith('.js'))?.text ?? '';
    expect((await transform(script)).warnings).toEqual([]);
  });
});
