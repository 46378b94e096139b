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

describe.each(Object.entries(repositories))('gate init for %s', (name, repository) => {
  const plan = planInit({ repository, service: undefined, source, workflows: ownWorkflows });
  const text = initText(plan, {
    width,
    paint: plainPaint,
    check: '../perf-gate/gate check',
    pathOf: (path) => path,
  });

  it('prints its report and writes the files (other tests cover the workflows)', async () => {
    const files = plan.files
      .filter(({ path }) => !path.startsWith('.github/'))
      .map((file) => `\n--- ${file.path}\n${file.text}`);
    await expect([text, ...files].join('')).toMatchFileSnapshot(`init/${name}.txt`);
  });

  it('writes a valid configuration and valid YAML', () => {
    const yaml = plan.files.filter(({ path }) => path.endsWith('.yml'));
    expect(yaml.length).toBeGreaterThanOrEqual(4);
    for (const file of yaml) expect(() => parse(file.text), file.path).not.toThrow();
    const config = parse(plan.files.find(({ path }) => path === 'perf/gate.yml')?.text ?? '');
    expect(configSchema.safeParse(config)).toMatchObject({ success: true });
    expect(config.name).not.toMatch(/\p{Cc}|\u202e/u);
  });

  it('prints no control characters and no line beyond the width', () => {
    expect(text.replaceAll('\n', '')).not.toMatch(/\p{Cc}|\u202e/u);
    expect(text.split('\n').filter((line) => displayWidth(line) > width)).toEqual([]);
  });

  it('writes a script that any JavaScript engine can parse', async () => {
    const script = plan.files.find(({ path }) => path.endsWith('.js'))?.text ?? '';
    expect((await transform(script)).warnings).toEqual([]);
  });
});
