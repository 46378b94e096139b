import { Document, Scalar, YAMLSeq } from 'yaml';
import type { CpuSets } from '../machine/index.ts';
import type { ComposeConfig } from './compose-file.ts';

type Service = ComposeConfig['services'][string];
type Port = NonNullable<Service['ports']>[number];
/** Networks or volumes by their key in the file. */
type Resources = ComposeConfig['networks'];

/** One copy of a compose file. */
export interface Copy {
  /** Project name under which Compose printed the file. */
  readonly project: string;
  /** True if the gate builds the images; otherwise the user has built them under the names in the file. */
  readonly buildsImages: boolean;
  /** CPUs that the services keep to; absent if all share all. */
  readonly cpus?: { readonly underTest: string; readonly sets: Pick<CpuSets, 'service' | 'backing'> };
  /** How many containers the service has, and how much CPU each of them; absent if that is up to the file. */
  readonly size?: {
    readonly underTest: string;
    readonly instances?: number | undefined;
    readonly cpus?: number | undefined;
  };
}

/**
 * The override that makes a stack independent of other stacks of the same file. The engine picks the published ports,
 * this project's name replaces fixed names, and services keep to their CPUs.
 *
 * @returns undefined if nothing has to change
 */
export function isolatingOverride(config: ComposeConfig, copy: Copy): string | undefined {
  const { project, cpus, size } = copy;
  const images = ownImages(config, copy);
  const services = Object.entries(config.services).map(([key, service]) => {
    const image = images.get(service.image ?? '');
    return [
      key,
      {
        ...(image !== undefined && { image }),
        ...freePorts(service),
        ...noFixedName(service, config.networks),
        ...(cpus !== undefined && !service.cpuset && { cpuset: cpuSetOf(key, cpus) }),
        ...(key === size?.underTest && sizeOf(service, size)),
      },
    ];
  });
  const sections = withoutEmpty({
    services: withoutEmpty(Object.fromEntries(services)),
    networks: renamed(config.networks, project),
    volumes: renamed(config.volumes, project),
  });
  if (Object.keys(sections).length === 0) return undefined;
  // Quoted, so that no name is read as a number or a boolean.
  return new Document(sections).toString({ defaultStringType: 'QUOTE_DOUBLE' });
}

/**
 * New names for the images that the file builds. All copies share the file's names, so they would all run the image that
 * was built last. A service that only uses such an image follows the new name.
 *
 * @returns new names by the file's names, without images that already carry the project's name
 */
export function ownImages(
  { services }: ComposeConfig,
  { project, buildsImages }: Copy,
): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  if (!buildsImages) return names;
  for (const [key, { image, build }] of Object.entries(services)) {
    if (build == null || image === undefined || image.includes(project) || names.has(image)) continue;
    // The engine allows no capitals in an image's name.
    names.set(image, `${project}-${key.toLowerCase()}`);
  }
  return names;
}

/** Describes how the copy's ports, volumes and image names differ from the file's. Undefined if they do not. */
export function isolationNote(config: ComposeConfig, copy: Copy): string | undefined {
  const images = [...ownImages(config, copy)].map(([image, own]) => `${image} is built as ${own}`);
  const clauses = [...portsNote(config), ...volumesNote(config, copy.project), ...images];
  return clauses.length === 0 ? undefined : clauses.join('; ');
}

/** Lists the services that the file ties to other CPUs, such as `; but the compose file ties db to 3`. */
export function otherCpusNote({ services }: ComposeConfig, cpus: NonNullable<Copy['cpus']>): string {
  const others = Object.entries(services).flatMap(([key, { cpuset = '' }]) =>
    ['', cpuSetOf(key, cpus)].includes(cpuset) ? [] : `${key} to ${cpuset}`,
  );
  return others.length === 0 ? '' : `; but the compose file ties ${others.join(' and ')}`;
}

/** The service's size under the names by which the file gives one, because Compose refuses two. */
function sizeOf({ deploy }: Service, { instances, cpus }: NonNullable<Copy['size']>): object {
  const limitsCpus = deploy?.resources?.limits?.cpus !== undefined;
  const named = {
    ...(instances !== undefined && deploy?.replicas !== undefined && { replicas: instances }),
    ...(cpus !== undefined && limitsCpus && { resources: { limits: { cpus: String(cpus) } } }),
  };
  return {
    ...(Object.keys(named).length > 0 && { deploy: named }),
    ...(instances !== undefined && deploy?.replicas === undefined && { scale: instances }),
    ...(cpus !== undefined && !limitsCpus && { cpus }),
  };
}

function cpuSetOf(key: string, { underTest, sets }: NonNullable<Copy['cpus']>): string {
  return key === underTest ? sets.service : sets.backing;
}

function portsNote({ services }: ComposeConfig): readonly string[] {
  const moved = Object.entries(services)
    .map(([name, service]) => ({ name, ports: fixedPorts(service).map(portText) }))
    .filter(({ ports }) => ports.length > 0);
  if (moved.length === 0) return [];
  const where = moved.flatMap(({ ports }) => ports).length === 1 ? 'a free port' : 'free ports';
  const clauses = moved.map(({ name, ports }, index) => {
    const verb = index === 0 ? ` is published on ${where}` : '';
    return `${name}${verb} instead of ${ports.join(' and ')}`;
  });
  return [clauses.join(', ')];
}

function volumesNote({ volumes }: ComposeConfig, project: string): readonly string[] {
  const names = fixedNames(volumes, project).map(([, { name }]) => name);
  if (names.length === 0) return [];
  return [`${names.length === 1 ? 'a new volume replaces' : 'new volumes replace'} ${names.join(' and ')}`];
}

function freePorts(service: Service): { readonly ports?: YAMLSeq } {
  if (fixedPorts(service).length === 0) return {};
  const list = new YAMLSeq();
  list.tag = '!override';
  const free = (service.ports ?? []).map(({ target, protocol }) => `127.0.0.1::${target}/${protocol}`);
  list.items = [...new Set(free)].map((text) => new Scalar(text));
  return { ports: list };
}

/**
 * Removes a container's fixed name. Other containers may use the name as an address, so it becomes an alias. If only
 * networks of other stacks know the name, it stays: two containers would answer to an alias there.
 */
function noFixedName(service: Service, networks: Resources): object {
  const { container_name: name } = service;
  const keys = Object.keys(service.networks ?? {});
  const own = keys.filter((key) => networks[key]?.external !== true);
  if (name === undefined || (keys.length > 0 && own.length === 0)) return {};
  const nothing = new Scalar(null);
  nothing.tag = '!reset';
  const aliases = Object.fromEntries(own.map((key) => [key, { aliases: [name] }]));
  return { container_name: nothing, ...(own.length > 0 && { networks: aliases }) };
}

/** Ports with a fixed number on this machine. On the host's network the engine publishes none. */
function fixedPorts({ network_mode: mode, ports }: Service): readonly Port[] {
  if (mode === 'host') return [];
  return (ports ?? []).filter(({ published = '' }) => !['', '0'].includes(published));
}

function portText({ published, protocol }: Port): string {
  return protocol === 'tcp' ? `${published}` : `${published}/${protocol}`;
}

function renamed(resources: Resources, project: string): Readonly<Record<string, { readonly name: string }>> {
  return Object.fromEntries(
    fixedNames(resources, project).map(([key]) => [key, { name: defaultName(project, key) }]),
  );
}

/** The stack's own resources that have another name than Compose would give them. */
function fixedNames(resources: Resources, project: string): [string, Resources[string]][] {
  return Object.entries(resources).filter(
    ([key, { name, external }]) => !external && name !== defaultName(project, key),
  );
}

function defaultName(project: string, key: string): string {
  return `${project}_${key}`;
}

function withoutEmpty<Value extends object>(
  sections: Readonly<Record<string, Value>>,
): Record<string, Value> {
  return Object.fromEntries(Object.entries(sections).filter(([, value]) => Object.keys(value).length > 0));
}
