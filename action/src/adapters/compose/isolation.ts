import { Document, Scalar, YAMLSeq } from 'yaml';
import type { CpuSets } from './cpu-sets.ts';
import type { ComposeConfig } from './merged-config.ts';

type Service = ComposeConfig['services'][string];
type Port = NonNullable<Service['ports']>[number];
/** Networks or volumes by their key in the file. */
type Resources = ComposeConfig['networks'];

/** One copy of a compose file. */
export interface Copy {
  /** Name that Compose was given when it printed the file. */
  readonly project: string;
  /** True if images are built for the copy; else somebody else builds them, under the names of the file. */
  readonly buildsImages: boolean;
  /** CPUs that its services keep to; absent if all share all. */
  readonly cpus?: { readonly underTest: string; readonly sets: Pick<CpuSets, 'service' | 'backing'> };
}

/**
 * What makes a stack a copy apart from every other stack of the same file, to be merged into that file: ports of this
 * machine are left to the engine, what is named for all copies alike is named for this project, and services keep to
 * their CPUs.
 *
 * @returns undefined if there is nothing to change
 */
export function isolatingOverride(config: ComposeConfig, copy: Copy): string | undefined {
  const { project } = copy;
  const images = ownImages(config, copy);
  const sections = withContent({
    services: withContent(
      Object.fromEntries(
        Object.entries(config.services).map(([key, service]) => [
          key,
          {
            ...renamedImage(service, images),
            ...freedPorts(service),
            ...freedName(service, config.networks),
            ...keptCpus(key, service, copy.cpus),
          },
        ]),
      ),
    ),
    networks: renamed(config.networks, project),
    volumes: renamed(config.volumes, project),
  });
  if (Object.keys(sections).length === 0) return undefined;
  // Quoted, so that no name is taken for a number or a truth value.
  return new Document(sections).toString({ defaultStringType: 'QUOTE_DOUBLE' });
}

/**
 * Names of the copy's own for what the file builds under a name that all its copies share: the one that is built last
 * would be what all of them run. A service that only uses such an image has to follow it.
 *
 * @returns names by the image that the file names; those of the project already are left out
 */
export function ownImages(
  { services }: ComposeConfig,
  { project, buildsImages }: Copy,
): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  if (!buildsImages) return names;
  for (const [key, { image, build }] of Object.entries(services)) {
    if (build == null || image === undefined || image.includes(project) || names.has(image)) continue;
    // The engine takes no capitals in an image's name.
    names.set(image, `${project}-${key.toLowerCase()}`);
  }
  return names;
}

/**
 * Where the copy is reached, whose data it starts without and what its images are called, if that is other than the
 * file says. Else undefined.
 */
export function isolationNote(config: ComposeConfig, copy: Copy): string | undefined {
  const images = [...ownImages(config, copy)].map(([image, own]) => `${image} is built as ${own}`);
  const clauses = [...portsNote(config), ...volumesNote(config, copy.project), ...images];
  return clauses.length === 0 ? undefined : clauses.join('; ');
}

/** The services that the file itself ties to other CPUs than theirs, as words such as `; but db keeps to 3`. */
export function otherCpusNote({ services }: ComposeConfig, cpus: NonNullable<Copy['cpus']>): string {
  const others = Object.entries(services).flatMap(([key, { cpuset = '' }]) =>
    ['', cpuSetOf(key, cpus)].includes(cpuset) ? [] : `${key} keeps to ${cpuset}`,
  );
  return others.length === 0 ? '' : `; but by the compose file ${others.join(' and ')}`;
}

function renamedImage({ image }: Service, names: ReadonlyMap<string, string>): { readonly image?: string } {
  const own = image === undefined ? undefined : names.get(image);
  return own === undefined ? {} : { image: own };
}

/** Nothing for a service that the file ties to CPUs. */
function keptCpus(key: string, { cpuset = '' }: Service, cpus: Copy['cpus']): { readonly cpuset?: string } {
  return cpus === undefined || cpuset !== '' ? {} : { cpuset: cpuSetOf(key, cpus) };
}

function cpuSetOf(key: string, { underTest, sets }: NonNullable<Copy['cpus']>): string {
  return key === underTest ? sets.service : sets.backing;
}

function portsNote({ services }: ComposeConfig): readonly string[] {
  const moved = Object.entries(services)
    .map(([service, details]) => ({ service, ports: fixedPorts(details).map(portText) }))
    .filter(({ ports }) => ports.length > 0);
  if (moved.length === 0) return [];
  const where = moved.flatMap(({ ports }) => ports).length === 1 ? 'a free port' : 'free ports';
  const clauses = moved.map(
    ({ service, ports }, index) =>
      `${service}${index === 0 ? ` is published on ${where}` : ''} instead of ${ports.join(' and ')}`,
  );
  return [clauses.join(', ')];
}

function volumesNote({ volumes }: ComposeConfig, project: string): readonly string[] {
  const names = named(volumes, project).map(([, { name }]) => name);
  if (names.length === 0) return [];
  const subject = names.length === 1 ? 'a new volume takes' : 'new volumes take';
  return [`${subject} the place of ${names.join(' and ')}`];
}

function freedPorts(service: Service): { readonly ports?: YAMLSeq } {
  if (fixedPorts(service).length === 0) return {};
  const list = new YAMLSeq();
  list.tag = '!override';
  const free = (service.ports ?? []).map(({ target, protocol }) => `127.0.0.1::${target}/${protocol}`);
  list.items = [...new Set(free)].map((text) => new Scalar(text));
  return { ports: list };
}

/**
 * Other containers may ask for one by its name, which therefore becomes an alias. Where only networks of others know
 * it, it stays: an alias there would be one of two that answer to it.
 */
function freedName(service: Service, networks: Resources): object {
  const { container_name: name } = service;
  const keys = Object.keys(service.networks ?? {});
  const own = keys.filter((key) => networks[key]?.external !== true);
  if (name === undefined || (keys.length > 0 && own.length === 0)) return {};
  const nothing = new Scalar(null);
  nothing.tag = '!reset';
  return {
    container_name: nothing,
    ...(own.length === 0
      ? {}
      : { networks: Object.fromEntries(own.map((key) => [key, { aliases: [name] }])) }),
  };
}

/** Those with a port of this machine that was chosen. On its own network the engine publishes none. */
function fixedPorts({ network_mode: mode, ports }: Service): readonly Port[] {
  if (mode === 'host') return [];
  return (ports ?? []).filter(({ published = '' }) => !['', '0'].includes(published));
}

function portText({ published, protocol }: Port): string {
  return protocol === 'tcp' ? `${published}` : `${published}/${protocol}`;
}

function renamed(resources: Resources, project: string): Readonly<Record<string, { readonly name: string }>> {
  return Object.fromEntries(
    named(resources, project).map(([key]) => [key, { name: defaultName(project, key) }]),
  );
}

/** Those of this stack that go by another name than Compose would give them. */
function named(resources: Resources, project: string): [string, Resources[string]][] {
  return Object.entries(resources).filter(
    ([key, { name, external }]) => !external && name !== defaultName(project, key),
  );
}

function defaultName(project: string, key: string): string {
  return `${project}_${key}`;
}

function withContent<Value extends object>(sections: Readonly<Record<string, Value>>): Record<string, Value> {
  return Object.fromEntries(Object.entries(sections).filter(([, value]) => Object.keys(value).length > 0));
}
