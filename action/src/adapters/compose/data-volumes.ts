import { dirname, join } from 'node:path';
import { Fault } from '../../model/fault.ts';
import type { DataPlace } from '../process/index.ts';
import type { ComposeFile } from './compose-file.ts';
import { projectLabel, readContainers } from './containers.ts';
import type { DockerCli, DockerResult } from './docker.ts';

/** Seconds for a volume of some gigabytes. */
const copyWithin = 900;

interface Mount {
  readonly volume: string;
  readonly service: string;
  /** Path within the container. */
  readonly target: string;
}

interface DataVolumesOptions {
  readonly docker: DockerCli;
  readonly project: string;
  readonly file: ComposeFile;
  /** Starts what mounts the volumes, and returns variables with which the command reaches it. */
  readonly open: DataPlace['open'];
  /** Stops all of it. */
  readonly close: () => Promise<void>;
}

/**
 * Data in volumes of a compose file. The engine copies them through the containers that mount them, so no image with tools
 * is needed. Owners and permissions stay, also those of the volume's own folder.
 */
export class DataVolumes implements DataPlace {
  readonly key: readonly string[];
  readonly #options: DataVolumesOptions;
  readonly #mounts: readonly Mount[];

  private constructor(options: DataVolumesOptions, mounts: readonly Mount[], images: readonly string[]) {
    this.#options = options;
    this.#mounts = mounts;
    this.key = images;
  }

  static async of(volumes: readonly string[], options: DataVolumesOptions): Promise<DataVolumes> {
    const { docker, file } = options;
    const mounts = volumes.map((volume) => mountOf(file, volume));
    const images = mounts.map(({ service }) => file.images.get(service) ?? '');
    const inspected = await docker.run(['image', 'inspect', '--format', '{{.Id}}', ...images]);
    if (inspected.code !== 0) throw notCopied(images.join(', '), inspected);
    // Another version of a database may not read its files.
    return new DataVolumes(options, mounts, inspected.stdout.trim().split('\n'));
  }

  open(signal: AbortSignal): Promise<Readonly<Record<string, string>>> {
    return this.#options.open(signal);
  }

  /** A server always writes something. */
  empty(): readonly string[] {
    return [];
  }

  async save(folder: string, signal: AbortSignal): Promise<void> {
    await this.#options.close();
    await this.#each(folder, signal, 'exec docker cp "$1:$2" - >"$0"', ({ target }) => target);
  }

  /** The containers exist and do not run. */
  async restore(folder: string, signal: AbortSignal): Promise<void> {
    // Into the folder above, because the archive holds the volume's own folder too.
    await this.#each(folder, signal, 'exec docker cp - "$1:$2" <"$0"', ({ target }) => dirname(target));
  }

  async #each(
    folder: string,
    signal: AbortSignal,
    script: string,
    pathOf: (mount: Mount) => string,
  ): Promise<void> {
    for (const [index, mount] of this.#mounts.entries()) {
      const holder = await this.#holderOf(mount, signal);
      const result = await this.#options.docker.run(
        ['-c', script, join(folder, `${index}.tar`), holder, pathOf(mount)],
        { program: 'sh', within: copyWithin, signal, role: 'docker cp' },
      );
      if (result.code !== 0) throw notCopied(mount.volume, result);
      await this.#options.docker.run(['rm', holder]);
    }
  }

  /** A container with the same volumes that never runs. The service's own may have a read-only root, which refuses copies. */
  async #holderOf({ volume, service }: Mount, signal: AbortSignal): Promise<string> {
    const { docker, project, file } = this.#options;
    const containers = await readContainers(docker, project);
    const id = containers.find((one) => one.service === service)?.id ?? service;
    const image = file.images.get(service) ?? '';
    const labelled = ['--label', `${projectLabel}=${project}`];
    const created = await docker.run(['create', ...labelled, '--volumes-from', id, image, 'never-run'], {
      signal,
      role: 'docker create',
    });
    if (created.code !== 0) throw notCopied(volume, created);
    return created.stdout.trim();
  }
}

/** Where a service mounts the volume, to which it may write. */
function mountOf({ config, services }: ComposeFile, volume: string): Mount {
  const mounts = services.flatMap((service) =>
    (config.services[service]?.volumes ?? [])
      .filter(({ type, read_only: readOnly }) => type === 'volume' && !readOnly)
      .map(({ source, target }) => ({ volume: source, service, target })),
  );
  const found = mounts.find((mount) => mount.volume === volume);
  if (found !== undefined) return found;
  const names = [...new Set(mounts.map((mount) => mount.volume))];
  throw new Fault({
    code: 'E_DATA_VOLUME',
    kind: 'usage',
    place: 'stack.compose.data.snapshot',
    cause: `no service of the compose file mounts a volume "${volume}" that it may write to`,
    nextStep: `name volumes of the file, which has ${names.join(', ') || 'none'}`,
  });
}

function notCopied(place: string, { stderr, timedOut }: DockerResult): Fault {
  return new Fault({
    code: 'E_DATA_COPY',
    kind: 'measurement',
    place,
    cause: `the data could not be copied: ${timedOut ? `it took longer than ${copyWithin} s` : stderr.trim().split('\n').at(-1)}`,
    nextStep: 'make room on the disk of the gate and of the Docker engine, then run the check again',
  });
}
