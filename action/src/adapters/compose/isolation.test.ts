import { describe, expect, it } from 'vitest';
import { parseDocument } from 'yaml';
import type { ComposeConfig } from './compose-file.ts';
import { type Copy, isolatingOverride, isolationNote, otherCpusNote, ownImages } from './isolation.ts';

type Service = ComposeConfig['services'][string];

/** Builds a file as Compose prints it for the project `p`. */
function configOf(
  services: ComposeConfig['services'],
  { networks = {}, volumes = {} }: Partial<Pick<ComposeConfig, 'networks' | 'volumes'>> = {},
): ComposeConfig {
  return { services, networks: { default: ours('p_default'), ...networks }, volumes };
}

const ours = (name: string) => ({ name, external: false });
const theirs = (name: string) => ({ name, external: true });
const port = (target: number, published?: string, protocol = 'tcp') => ({
  target,
  protocol,
  ...(published === undefined ? {} : { published }),
});

const copy: Copy = { project: 'p', buildsImages: true };

/** The data of an override, without its tags. */
function overrideOf(config: ComposeConfig, of = copy): unknown {
  const text = isolatingOverride(config, of);
  return text === undefined ? undefined : parseDocument(text).toJS();
}

it.each<[string, Service]>([
  ['publishes nothing', {}],
  ['accepts any port', { ports: [port(80), port(81, '0'), port(82, '')] }],
  ['uses the network of this machine', { network_mode: 'host', ports: [port(80, '80')] }],
])('a file without fixed names, with a service that %s, stays unchanged', (_, service) => {
  const config = configOf(
    { web: service },
    { networks: { shared: theirs('shared') }, volumes: { data: ours('p_data'), kept: theirs('shop-kept') } },
  );
  expect(isolatingOverride(config, copy)).toBeUndefined();
  expect(isolationNote(config, copy)).toBeUndefined();
});

it('the override replaces ports, resets names and quotes text', () => {
  const config = configOf(
    {
      web: { container_name: 'yes', networks: { default: null }, ports: [port(80, '8080')] },
      other: { ports: [port(80)], networks: { default: null } },
    },
    { networks: { '1': ours('net') }, volumes: { data: ours('shop-data') } },
  );
  expect(isolatingOverride(config, copy)).toBe(`"services":
  "web":
    "ports": !override
      - "127.0.0.1::80/tcp"
    "container_name": !reset null
    "networks":
      "default":
        "aliases":
          - "yes"
"networks":
  "1":
    "name": "p_1"
"volumes":
  "data":
    "name": "p_data"
`);
});

describe('ports', () => {
  it('of a service with a fixed port all become free ports of the loopback interface, each once', () => {
    const ports = [
      port(80, '8080'),
      port(80, '8081'),
      port(53, '53', 'udp'),
      port(53),
      port(70, '7000-7010'),
    ];
    expect(overrideOf(configOf({ web: { ports } }))).toEqual({
      services: {
        web: {
          ports: ['127.0.0.1::80/tcp', '127.0.0.1::53/udp', '127.0.0.1::53/tcp', '127.0.0.1::70/tcp'],
        },
      },
    });
  });

  it('stay unchanged on the network of this machine, where the name is still reset', () => {
    const service = { container_name: 'shop-proxy', network_mode: 'host', ports: [port(80, '80')] };
    expect(overrideOf(configOf({ proxy: service }))).toEqual({
      services: { proxy: { container_name: 'null' } },
    });
  });

  it('that moved are noted', () => {
    const web = { ports: [port(80, '8080'), port(81)] };
    const dns = { ports: [port(53, '53', 'udp'), port(70, '7000-7010')] };
    expect(isolationNote(configOf({ web, db: {} }), copy)).toBe(
      'web is published on a free port instead of 8080',
    );
    expect(isolationNote(configOf({ web, dns }), copy)).toBe(
      'web is published on free ports instead of 8080, dns instead of 53/udp and 7000-7010',
    );
  });
});

describe("a container's name", () => {
  const networks = { back: ours('p_back'), shared: theirs('shared') };

  it("becomes an alias on the stack's own networks", () => {
    const service = { container_name: 'shop-db', networks: { back: { aliases: ['db1'] }, shared: null } };
    expect(overrideOf(configOf({ db: service }, { networks }))).toEqual({
      services: { db: { container_name: 'null', networks: { back: { aliases: ['shop-db'] } } } },
    });
  });

  it('stays if only networks of other stacks know it', () => {
    const service = { container_name: 'shop-db', networks: { shared: null } };
    expect(overrideOf(configOf({ db: service }, { networks }))).toBeUndefined();
  });
});

describe('volumes', () => {
  it("with fixed names get the project's name, unless another stack owns them", () => {
    const volumes = { data: ours('shop-data'), log: ours('p_log'), kept: theirs('shop-kept') };
    expect(overrideOf(configOf({ db: {} }, { volumes }))).toEqual({ volumes: { data: { name: 'p_data' } } });
  });

  it('that are replaced are noted', () => {
    const db = { ports: [port(5432, '5432')] };
    expect(isolationNote(configOf({ db }, { volumes: { data: ours('shop-data') } }), copy)).toBe(
      'db is published on a free port instead of 5432; a new volume replaces shop-data',
    );
    expect(isolationNote(configOf({}, { volumes: { a: ours('one'), b: ours('two') } }), copy)).toBe(
      'new volumes replace one and two',
    );
  });
});

describe('an image', () => {
  const own = { project: 'perf-gate-1a', buildsImages: true };
  const build = { context: '.' };
  const config = configOf(
    {
      shop: { image: 'shop:dev', build },
      worker: { image: 'shop:dev' },
      migrations: { image: 'shop:dev', build },
      Mail: { image: 'mail', build },
      data: { image: 'perf-gate-1a-data', build },
      exporter: { image: 'perf-gate-1a-data' },
      unnamed: { build },
      db: { image: 'mariadb:11' },
    },
    { networks: { default: ours('perf-gate-1a_default') } },
  );

  it("gets the project's name if the file builds it, for every service that runs it", () => {
    expect(overrideOf(config, own)).toEqual({
      services: {
        shop: { image: 'perf-gate-1a-shop' },
        worker: { image: 'perf-gate-1a-shop' },
        migrations: { image: 'perf-gate-1a-shop' },
        Mail: { image: 'perf-gate-1a-mail' },
      },
    });
    expect([...ownImages(config, own)]).toEqual([
      ['shop:dev', 'perf-gate-1a-shop'],
      ['mail', 'perf-gate-1a-mail'],
    ]);
    expect(isolationNote(config, own)).toBe(
      'shop:dev is built as perf-gate-1a-shop; mail is built as perf-gate-1a-mail',
    );
  });

  it('keeps its name if the gate does not build it', () => {
    const unbuilt = { ...own, buildsImages: false };
    expect(overrideOf(config, unbuilt)).toBeUndefined();
    expect(isolationNote(config, unbuilt)).toBeUndefined();
  });
});

describe('the size of the service', () => {
  const size = { underTest: 'web', instances: 2, cpus: 0.5 };

  it('is that of the gate, under the name by which the file has one', () => {
    expect(overrideOf(configOf({ web: {}, db: {} }), { ...copy, size })).toEqual({
      services: { web: { scale: 2, cpus: 0.5 } },
    });
    expect(overrideOf(configOf({ web: { deploy: { replicas: 3 } } }), { ...copy, size })).toEqual({
      services: { web: { deploy: { replicas: 2 }, cpus: 0.5 } },
    });
    const deploy = { replicas: 1, resources: { limits: { cpus: 2, memory: '1g' } } };
    expect(overrideOf(configOf({ web: { deploy } }), { ...copy, size })).toEqual({
      services: { web: { deploy: { replicas: 2, resources: { limits: { cpus: '0.5' } } } } },
    });
  });

  it('is up to the file if the gate has none', () => {
    expect(overrideOf(configOf({ web: {} }), { ...copy, size: { underTest: 'web' } })).toBeUndefined();
  });
});

describe('CPUs', () => {
  const cpus = { underTest: 'web', sets: { service: '0-1', backing: '2' } };

  it('follow the role, unless the file names them', () => {
    const config = configOf({ web: {}, db: { cpuset: '' }, cache: { cpuset: '3' } });
    expect(overrideOf(config, { ...copy, cpus })).toEqual({
      services: { web: { cpuset: '0-1' }, db: { cpuset: '2' } },
    });
  });

  it('that the file sets differently are noted', () => {
    const config = configOf({
      web: { cpuset: '0-1' },
      db: {},
      cache: { cpuset: '3' },
      mail: { cpuset: '0' },
    });
    expect(otherCpusNote(config, cpus)).toBe('; but the compose file ties cache to 3 and mail to 0');
    expect(otherCpusNote(configOf({ web: { cpuset: '0-1' }, db: { cpuset: '2' } }), cpus)).toBe('');
  });
});
