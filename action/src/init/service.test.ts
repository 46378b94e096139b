import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { repositoryOf } from '../../test/init/repository.ts';
import { Fault } from '../model/fault.ts';
import { guessService } from './service.ts';

type Files = Readonly<Record<string, string>>;

const guess = (files: Files, service?: string) => guessService(repositoryOf(files), service);

function faultOf(files: Files, service?: string): Fault['details'] {
  try {
    guess(files, service);
  } catch (error) {
    if (error instanceof Fault) return error.details;
    throw error;
  }
  throw new Error('expected a fault');
}

const compose = (services: string) => ({ 'compose.yml': `services:\n${services}` });
const spring = (artifact: string) =>
  `<project><artifactId>${artifact}</artifactId><version>1</version><build>spring-boot-maven-plugin</build></project>`;

describe('which service of a compose file', () => {
  it('is the one that is built here, not what stands around it', () => {
    const files = compose(`  db: { image: "registry:5000/library/postgres:17@sha256:0", ports: ["5432"] }
  cache: { image: redis, ports: ["6379"] }
  proxy: { image: "nginx:1", ports: ["80"] }
  worker: { build: worker }
  web: { build: ., ports: ["127.0.0.1:\${WEB_PORT:-8080}:\${INNER-3000}/tcp"] }
  tools: { build: tools, ports: ["1"], profiles: [debug] }
`);
    expect(guess(files).stack.compose).toMatchObject({ service: 'web', port: 3000, buildImages: true });
  });

  it('may be of an image from elsewhere', () => {
    const { stack } = guess(compose('  web: { image: "example/shop:3", ports: [8000] }\n'));
    expect(stack.compose).toEqual({
      file: '../compose.yml',
      service: 'web',
      port: 8000,
      ready: { port: 8000, path: '/' },
    });
  });

  it('is asked for where there are several', () => {
    const files = compose('  web: { build: ., ports: ["80"] }\n  api: { build: api, ports: ["81"] }\n');
    expect(faultOf(files)).toMatchObject({
      code: 'E_INIT_SERVICE',
      place: 'compose.yml',
      cause: 'any of these may be the service: web, api',
      nextStep: 'name it: --service web',
    });
    expect(guess(files, 'api').stack.compose?.port).toBe(81);
    expect(faultOf(files, 'shop').cause).toContain('there is no shop');
  });

  it('has to be one that answers', () => {
    expect(faultOf(compose('  db: { image: postgres, ports: ["5432"] }\n'))).toMatchObject({
      code: 'E_INIT_SERVICE',
      cause: expect.stringContaining('no service of it'),
    });
  });

  it('has its port from `expose`, its Dockerfile or its health check if it publishes none, and is told to', () => {
    for (const [service, files] of [
      ['{ build: ., expose: [9000] }', {}],
      ['{ build: { context: ./web, dockerfile: Own } }', { 'web/Own': 'FROM x\nEXPOSE 9000\n' }],
      ['{ build: ., healthcheck: { test: [CMD, wget, "http://127.0.0.1:9000/up"] } }', {}],
    ] as const) {
      const { stack, findings } = guess({ ...compose(`  web: ${service}\n`), ...files });
      expect(stack.compose?.port, service).toBe(9000);
      expect(findings.map(({ text }) => text).join('\n')).toContain('ports: ["127.0.0.1::9000"]');
    }
  });

  it('takes the first file in the order for CI, then for Compose', () => {
    const one = (name: string) => `services: { ${name}: { build: ., ports: ["80"] } }`;
    const files = { 'docker-compose.yml': one('old'), 'compose.yaml': one('new') };
    expect(guess(files).stack.compose?.service).toBe('new');
    expect(guess({ ...files, 'docker-compose.ci.yml': one('ci') }).stack.compose?.service).toBe('ci');
  });
});

describe('a compose file that cannot be read', () => {
  it.each([
    ['no YAML', 'services:\n  web: [\n', 'compose.yml:3:1'],
    ['a tab', 'services:\n\tweb: {}\n', 'compose.yml:2:1'],
    ['an alias without its anchor', 'services: { web: *nothing }\n', 'compose.yml'],
    ['no services', 'version: "3"\n', 'compose.yml'],
    ['a list of services', 'services: [web]\n', 'compose.yml'],
    ['a name that Compose refuses', 'services: { "web\\n::error::x": { build: . } }\n', 'compose.yml'],
    ['nothing', '', 'compose.yml'],
    ['levels without end', `services: ${'['.repeat(50_000)}`, 'compose.yml'],
    [
      'aliases that grow',
      `a0: &a0 [x]\n${Array.from({ length: 30 }, (_, i) => `a${i + 1}: &a${i + 1} [*a${i}, *a${i}, *a${i}]`).join('\n')}\nservices: { web: { build: *a30 } }\n`,
      'compose.yml',
    ],
  ])('%s', (_, text, place) => {
    expect(faultOf({ 'compose.yml': text })).toMatchObject({
      code: 'E_COMPOSE_FILE',
      kind: 'usage',
      place: expect.stringMatching(new RegExp(`^${place}`)),
    });
  });
});

describe('what starts a service', () => {
  it('is asked for where there are several', () => {
    const modules = {
      'pom.xml': '<project/>',
      'orders/pom.xml': spring('orders'),
      'bills/pom.xml': spring('bills'),
    };
    expect(faultOf(modules)).toMatchObject({
      code: 'E_INIT_SERVICE',
      cause: expect.stringContaining('bills, orders'),
    });
    expect(guess(modules, 'orders').stack.process).toMatchObject({
      // Without inputs: a module is not made of its own folder alone.
      build: [{ command: ['mvn', '-q', '-B', '-DskipTests', '-pl', 'orders', '-am', 'package'] }],
      service: { command: ['java', '-jar', 'orders/target/orders-1.jar'] },
    });
    const go = { 'go.mod': 'module x', 'cmd/a/main.go': '', 'cmd/b/main.go': '' };
    expect(faultOf(go).nextStep).toBe('name it: --service a');
    expect(guess(go, 'b').stack.process?.build?.[0]?.command).toContain('./cmd/b');
    expect(faultOf(go, 'c').code).toBe('E_INIT_SERVICE');
  });

  it('is missing in an empty repository, which is told what would do', () => {
    for (const files of [{}, { 'README.md': '# shop' }, { 'package.json': '{"name":"library"}' }]) {
      expect(faultOf(files)).toMatchObject({
        code: 'E_INIT_COMMAND',
        nextStep: expect.stringContaining('web: ./server --port $PORT'),
      });
    }
  });

  it.each([
    ['no JSON', '{"scripts": '],
    ['no object', '[]'],
    ['nothing', ''],
  ])('is not guessed from a package.json that is %s', (_, text) => {
    expect(faultOf({ 'package.json': text })).toMatchObject({
      code: 'E_INIT_READ',
      place: 'package.json',
    });
  });

  it('is npm where a script is more than a program with its arguments', () => {
    const start = (scripts: object) =>
      guess({ 'package.json': JSON.stringify({ scripts }) }).stack.process?.service.command;
    expect(start({ start: 'node --max-old-space-size=200 dist/main.js' })?.[0]).toBe('node');
    for (const script of [
      'NODE_ENV=production node a.js',
      'node a.js && rm -rf /',
      'next start',
      'node $(x)',
    ]) {
      expect(start({ start: script }), script).toEqual(['npm', 'run', '--silent', 'start']);
    }
    expect(start({ start: 'node a.js', prestart: 'tsc' })?.[0]).toBe('npm');
  });

  it('is a shell with `exec` where a Procfile needs one, and no variable but PORT is left to the gate', () => {
    const command = (line: string) => guess({ Procfile: `web: ${line}\n` }).stack.process?.service.command;
    expect(command('./run --port=${PORT}')).toEqual(['./run', '--port=${PORT}']);
    expect(command('./run "$HOME" ${NAME}')).toEqual(['sh', '-c', 'exec ./run "$HOME" $NAME']);
    expect(command('cd web && ./run')).toEqual(['sh', '-c', 'cd web && ./run']);
  });

  it('never starts a path of the container', () => {
    const files = { Dockerfile: 'FROM python\nCMD ["python", "/srv/app.py"]\n', 'app.py': '' };
    expect(guess(files).stack.process?.service.command).toEqual(['python3', 'app.py']);
  });
});

describe('a port', () => {
  it('is a number from 1 to 65535, or it is none', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const { stack } = guess(compose(`  web: { build: ., ports: [${JSON.stringify(text)}] }\n`));
        const port = stack.compose?.port ?? 0;
        expect(Number.isInteger(port) && port >= 1 && port <= 65_535).toBe(true);
      }),
    );
  });

  it('is any free one if the source reads PORT, else the one that it names', () => {
    const port = (source: string, file = 'server.js') =>
      guess({ 'package.json': '{}', [file]: source, 'server.js': file === 'server.js' ? source : '' }).stack
        .process?.service.ports.PORT;
    expect(port("listen(process.env['PORT'])")).toBe('auto');
    expect(port('server.listen( 4000 )')).toBe(4000);
    expect(port('server.listen(99999)')).toBe(3000);
    expect(port('')).toBe(3000);
  });
});

describe('what a stranger wrote', () => {
  const size = 250_000;
  const read = [
    'pom.xml',
    'Procfile',
    'Cargo.toml',
    'requirements.txt',
    'Dockerfile',
    'src/main.rs',
    'app.py',
    'build.gradle',
  ];

  /** The kind of stack that it is, or the code of the fault that refuses it. */
  function outcomeOf(files: Files): string {
    try {
      return Object.keys(guess(files).stack).join();
    } catch (error) {
      if (error instanceof Fault) return error.details.code;
      throw error;
    }
  }

  /** Milliseconds of CPU until all of them, each full of that text, were answered or refused. */
  function cpuMsFor(part: string): number {
    const text = part.repeat(Math.ceil(size / part.length));
    const before = process.cpuUsage();
    for (const path of read) {
      const files = { 'app.py': text, [path]: `${text}spring-boot-maven-plugin org.springframework.boot` };
      expect(outcomeOf(files), path).toMatch(/^(?:process|compose|E_INIT_\w+)$/);
    }
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  }

  it.each([
    '<build>',
    '<parent><artifactId>',
    ' ',
    'web: ',
    '/',
    'a\n',
    '[package]\n',
    '"engines":{',
    '${a:-',
    '<!--',
  ])('takes no longer for being written to take long: %j', (part) => {
    const plainMs = cpuMsFor('a plain line of text\n');
    const ms = cpuMsFor(part);
    // Up to 4 times as much; what takes the square of its length takes hundreds of times.
    expect(ms).toBeLessThan(20 * plainMs);
  });

  it('never becomes part of a path or a program of another name', () => {
    for (const name of ['../../x', 'a b', '-Dx', '${env.HOME}', 'a/b', '$(x)']) {
      const { stack } = guess({
        'pom.xml': spring(name).replace('<version>1<', `<version>${name}<`),
        Procfile: 'web: x',
      });
      expect(JSON.stringify(stack), name).not.toContain(name);
    }
  });
});
