import { expect, it } from 'vitest';
import { Leftovers } from '../host/leftovers.ts';
import { type DockerAnswer, DockerCli } from './cli.ts';
import { readContainers } from './containers.ts';

/** An engine that tells of two containers, and answers so when asked how they fare. */
class EngineThatInspects extends DockerCli {
  readonly #answer: DockerAnswer;

  constructor(answer: DockerAnswer) {
    super({}, new Leftovers('/nonexistent'));
    this.#answer = answer;
  }

  override async run([command]: readonly string[]): Promise<DockerAnswer> {
    return command === 'ps' ? { code: 0, stdout: 'one\ntwo\n', stderr: '', timedOut: false } : this.#answer;
  }
}

const nothing = { code: 1, stdout: '', stderr: '', timedOut: false };

it.each([
  ['did not end in time', { ...nothing, code: null, timedOut: true }],
  ['was killed', { ...nothing, code: null }],
])('does not take an inspection that %s for one that found nothing', async (_, answer) => {
  await expect(readContainers(new EngineThatInspects(answer), 'shop')).rejects.toThrow('E_ENGINE_DOWN');
});

it('finds nothing where all containers were removed meanwhile', async () => {
  const removed = { ...nothing, stdout: '[]\n', stderr: 'Error: No such container: one' };
  expect(await readContainers(new EngineThatInspects(removed), 'shop')).toEqual([]);
});
