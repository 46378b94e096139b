import { writeFileSync } from 'node:fs';
import type { DockerCli } from './cli.ts';
import { type Container, readLog } from './containers.ts';

/** Last lines of each container. */
const savedLines = 5_000;
/** Characters of the whole file. */
const savedLength = 4 * 1024 * 1024;

/** Saves what the containers printed last, each under a heading; `masked` takes secrets out of a text. */
export async function saveLogs(
  docker: DockerCli,
  containers: readonly Container[],
  path: string,
  masked: (text: string) => string,
): Promise<void> {
  const share = Math.floor(savedLength / Math.max(1, containers.length));
  const sections = await Promise.all(
    containers.map(async (container) => {
      const { service, status, exitCode, image } = container;
      const state = status === 'exited' ? `exited with code ${exitCode}` : status;
      const text = (await readLog(docker, container.id, savedLines)).join('\n');
      return `==> ${service} (${image}), ${state} <==\n${masked(text).slice(-share)}\n`;
    }),
  );
  writeFileSync(path, sections.join('\n'));
}
