import { expect, it, onTestFinished } from 'vitest';
import { processesMentioning, type RunningGate, TinyProject } from './gate.ts';

const config = ['--config', 'gate.yml'];

async function tiny(): Promise<TinyProject> {
  const project = await TinyProject.create();
  onTestFinished(async () => {
    expect(await processesMentioning(project.fixture.path)).toEqual([]);
    await project.fixture.rm();
  });
  return project;
}

async function addressOf({ stdout }: RunningGate): Promise<string> {
  const printed = () => /^service +(\S+)$/m.exec(stdout())?.[1];
  await expect.poll(printed, { timeout: 60_000 }).toBeDefined();
  return printed() ?? '';
}

it('keeps the service running for anybody to load, until `gate down`', async () => {
  const project = await tiny();
  const up = project.start(['up', ...config]);
  const address = await addressOf(up);
  expect(await fetch(`${address}/list`).then((response) => response.text())).toBe('/list');
  expect(up.stdout()).toMatch(/^metrics +http\S+\/metrics$/m);
  expect(up.stdout()).toMatch(/until you press Ctrl-C or run \S*gate down --config gate\.yml/);

  const busy = await project.run(['check', ...config]);
  expect(busy.code).toBe(3);
  expect(busy.stderr).toContain('E_BUSY');

  const down = await project.run(['down', ...config]);
  expect(down).toMatchObject({ code: 0, stdout: 'stopped\n' });
  expect((await up.done).code).toBe(143);
  await expect(fetch(`${address}/list`)).rejects.toThrow();
  expect((await project.run(['down', ...config])).stdout).toBe('nothing is running here\n');
});

it('is ended by `gate down` while it starts, too', async () => {
  const project = await tiny();
  const up = project.start(['up', ...config], { TINY_BOOT_MS: '50000' });
  await up.printed(/… boot/);
  expect(await project.run(['down', ...config])).toMatchObject({ code: 0, stdout: 'stopped\n' });
  expect((await up.done).code).toBe(143);
});

it('ends, and says why, if the service does', async () => {
  const project = await tiny();
  const up = project.start(['up', ...config], { TINY_DIE_AFTER: '1' });
  const address = await addressOf(up);
  await expect(fetch(`${address}/list`)).rejects.toThrow();
  const { code, stderr } = await up.done;
  expect(code).toBe(3);
  expect(stderr).toContain('E_SERVICE_DIED');
  expect(stderr).toContain('tiny: out of seats');
});
