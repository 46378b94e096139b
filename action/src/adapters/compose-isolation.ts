import { Document, Scalar, YAMLSeq } from 'yaml';
import type { ComposeConfig } from './compose-file.ts';

type Service = ComposeConfig['services'][string];
type Port = NonNullable<Service['ports']>[number];
/** Networks or volumes by their key in the file. */
type Resources = ComposeConfig['networks'];

/**
 * What makes a stack a copy apart from every other stack of the same file, to be merged into that file: ports of this
 * machine are left to the engine, and what is named for all copies alike is named for this project.
 *
 * @param project name that Compose was given when it printed the file
 * @returns undefined if the file has nothing fixed
 */
export function isolatingOverride(config: ComposeConfig, project: string): string | undefined {
  const sections = withContent({
    services: withContent(
      Object.fromEntries(
        Object.entries(config.services).map(([key, service]) => [
          key,
          { ...freedPorts(service), ...freedName(service, config.networks) },
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

/** Where the copy is reached, and whose data it starts without, if that is other than the file says. Else undefined. */
export function isolationNote(config: ComposeConfig, project: string): string | undefined {
  const clauses = [...portsNote(config), ...volumesNote(config, project)];
  return clauses.length === 0 ? undefined : clauses.join('; ');
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
