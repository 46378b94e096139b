import { join } from 'node:path';
import { createFixture } from 'fs-fixture';
import { describe, expect, it } from 'vitest';
import { projectName } from '../../src/adapters/compose/project.ts';
import { createComposeStack } from '../../src/adapters/compose/stack.ts';
import { loadConfig } from '../../src/adapters/config/file.ts';
import { createSystemClock } from '../../src/adapters/host/system-clock.ts';
import { createPrometheusReader } from '../../src/adapters/machine/prometheus.ts';
import { scrapeService } from '../../src/measure/scrape.ts';
import { sumOf } from '../../src/measure/signals.ts';
import { docker, lackOfEngine, nodeImage, remains } from '../e2e/compose-engine.ts';
import { lackOfTool } from '../e2e/tool.ts';
import { faultOf } from './fault-of.ts';

const tinyCompose = join(import.meta.dirname, '../e2e/tiny-compose');
const lacks = [lackOfEngine(), lackOfTool('haproxy', 'tests of several containers', '-v')];

describe.skipIf(lacks.some((lack) => lack !== undefined))('several containers of the service', () => {
  it('share the requests evenly, each with its share of CPU, and fail by name if one dies', async () => {
    await using fixture = await createFixture(tinyCompose);
    const { config } = loadConfig(fixture.getPath('gate.yml'));
    if (config.stack.compose === undefined) throw new Error('it is configured');
    const notes: string[] = [];
    const stack = createComposeStack({
      profiles: [],
      config: { ...config.stack.compose, instances: 2, cpus: 0.5 },
      file: fixture.getPath('compose.yml'),
      root: fixture.path,
      checkout: fixture.path,
      cacheDirectory: fixture.getPath('cache'),
      workDirectory: fixture.getPath('work'),
      logDirectory: fixture.getPath('logs'),
      env: { ...process.env, TINY_IMAGE: nodeImage() },
      cpuSets: undefined,
      clock: createSystemClock(),
      note: (text) => notes.push(text),
    });
    const signal = AbortSignal.timeout(180_000);
    const project = projectName(fixture.path);
    const second = `${project}-app-2`;
    try {
      await stack.prepare(signal);
      await stack.up(signal);
      const booted = await stack.boot(signal);
      expect(notes.join()).toMatch(/HAProxy at http:\S+ in front of instance 1 at http:\S+, instance 2 at /);
      expect(booted.versions).toMatchObject({ instances: '2', cpus: '0.5' });
      for (let request = 0; request < 20; request += 1) await fetch(`${booted.url}/list`);
      const reader = createPrometheusReader();
      const read = (url: string) => reader.scrape(url, signal);
      const pages = await Promise.all((booted.metricsUrls ?? []).map(read));
      expect(pages.map((page) => sumOf(page, ['tiny_requests_total']))).toEqual([10, 10]);
      expect(sumOf(await scrapeService(booted, read), ['tiny_requests_total'])).toBe(20);
      await booted.verify?.();

      const nanoCpus = () => docker('inspect', '--format', '{{.HostConfig.NanoCpus}}', second);
      expect(nanoCpus()).toEqual(['1000000000']);
      await booted.limitCpu?.();
      expect(nanoCpus()).toEqual(['500000000']);
      await booted.verify?.();
      docker('kill', second);
      expect(await faultOf(booted.failure)).toMatchObject({
        code: 'E_SERVICE_DIED',
        place: 'service app, instance 2',
      });
    } finally {
      await stack.down();
    }
    expect(remains(project)).toEqual([]);
  });
});
