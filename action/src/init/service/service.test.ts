import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { repositoryOf } from '../../../test/init/repository.ts';
import { Fault } from '../../model/fault.ts';
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

describe('the service that init chooses in a compose file', () => {
  it('is the one that this repository builds, not a backing service or a tool', () => {
    const files = compose(`  db: { image: "registry:5000/library/postgres:17@sha256:0", ports: ["5432"] }
  cache: { image: redis, ports: ["6379"] }
  proxy: { image: "nginx:1", ports: ["80"] }
  worker: { build: worker }
  web: { build: ., ports: ["127.0.0.1:\${WEB_PORT:-8080}:\${INNER-3000}/tcp"] }
  tools: { build: tools, ports: ["1"], profiles: [debug] }
`);
    expect(guess(files).stack.compose).toMatchObject({ service: 'web', port: 3000, buildImages: true });
  });

  it('may use an image from elsewhere', () => {
    const { stack } = guess(compose('  web: { image: "example/shop:3", ports: [8000] }\n'));
    expect(stack.compose).toEqual({
      file: '../compose.yml',
      service: 'web',
      port: 8000,
      ready: { port: 8000, path: '/' },
    });
  });

  it('needs a name if several are possible', () => {
    const files = compose('  web: { build: ., ports: ["80"] }\n  api: { build: api, ports: ["81"] }\n');
    expect(faultOf(files)).toMatchObject({
      code: 'E_INIT_SERVICE',
      place: 'compose.yml',
      cause: 'several services are possible: web, api',
      nextStep: 'choose one, such as --service web',
    });
    expect(guess(files, 'api').stack.compose?.port).toBe(81);
    expect(faultOf(files, 'shop').cause).toContain('no service is called shop');
  });

  it('must be one that answers HTTP', () => {
    expect(faultOf(compose('  db: { image: postgres, ports: ["5432"] }\n'))).toMatchObject({
      code: 'E_INIT_SERVICE',
      cause: expect.stringContaining('no service of the file'),
    });
  });

  it('takes an unpublished port from `expose`, Dockerfile or health check, and asks to publish it', () => {
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

  it('comes from a file for CI first, then from the file that Compose prefers', () => {
    const one = (name: string) => `services: { ${name}: { build: ., ports: ["80"] } }`;
    const files = { 'docker-compose.yml': one('old'), 'compose.yaml': one('new') };
    expect(guess(files).stack.compose?.service).toBe('new');
    expect(guess({ ...files, 'docker-compose.ci.yml': one('ci') }).stack.compose?.service).toBe('ci');
  });
});

describe('a Spring Boot service with a database in its own process', () => {
  const dependency = (scope: string) =>
    `<dependency><groupId>com.h2database</groupId>\n<artifactId>h2</artifactId>${scope}</dependency>`;
  const pom = (scope = '<scope>runtime</scope>') => ({
    'pom.xml': spring('shop').replace('<build>', `${dependency(scope)}<build>`),
  });
  const databases = compose('  mysql: { image: mysql }\n  db: { image: postgres }\n');
  const properties = (text: string) => ({ 'src/main/resources/application.properties': text });

  it('needs no database of a compose file', () => {
    for (const more of [
      {},
      properties('database=h2\n'),
      properties('spring.datasource.url=jdbc:h2:mem:x\n'),
    ]) {
      const { stack, findings } = guess({ ...databases, ...pom(), ...more });
      expect(stack.process?.service.command).toEqual(['java', '-jar', 'target/shop-1.jar']);
      expect(findings.map(({ text }) => text)).toContain(
        'it has H2 in its own process, so it starts without mysql, db of compose.yml',
      );
    }
  });

  it.each([
    ['for tests only', { ...databases, ...pom('<scope>test</scope>') }],
    [
      'but is configured for another',
      { ...databases, ...pom(), ...properties('spring.datasource.url=jdbc:mysql://db/x\n') },
    ],
    ['but needs more than a database', { ...compose('  cache: { image: redis }\n'), ...pom() }],
  ])('%s uses the compose file', (_, files) => {
    expect(guess(files).stack.compose).toBeDefined();
  });

  it('has the name of its folder where a Gradle build names none', () => {
    const gradle = { 'build.gradle': "plugins { id 'org.springframework.boot' }\nversion = '2'" };
    expect(guess(gradle).stack.process?.service.command.at(-1)).toMatch(/^build\/libs\/shop-2\.jar$/);
  });

  it('is known from Gradle too', () => {
    const gradle = (how: string) => ({
      'build.gradle': `plugins { id 'org.springframework.boot' }\ndependencies { ${how} 'org.xerial:sqlite-jdbc:3.36' }`,
    });
    const url = properties('spring.datasource.url=jdbc:sqlite:dev.db\n');
    expect(guess({ ...databases, ...gradle('implementation'), ...url }).stack.process).toBeDefined();
    expect(guess({ ...databases, ...gradle('testImplementation'), ...url }).stack.compose).toBeDefined();
  });
});

describe('a compose file of backing services only', () => {
  const java = { 'pom.xml': spring('shop').replace('<version>', '<java.version>25</java.version><version>') };
  const backing = (services: string, more: Files = {}, service?: string) => {
    const guessed = guess({ ...compose(services), ...java, ...more }, service);
    const content = guessed.composeFile?.content as {
      readonly include: readonly string[];
      readonly services: Readonly<
        Record<string, Readonly<Record<string, unknown>> & { readonly environment: Record<string, string> }>
      >;
    };
    const [[name, own] = []] = Object.entries(content.services);
    const said = guessed.findings.map(({ kind, text }) => `${kind}: ${text}`).join('\n');
    return { ...guessed, include: content.include, name, own, environment: own?.environment ?? {}, said };
  };

  it('is included by a new file that runs the jar in its network', () => {
    const { stack, include, own, jdk } = backing('  db: { image: postgres, ports: ["5432:5432"] }\n');
    expect(include).toEqual(['../compose.yml']);
    expect(own).toMatchObject({
      image: 'eclipse-temurin:25-jdk',
      command: ['java', '-jar', '/service.jar'],
      volumes: ['../target/shop-1.jar:/service.jar:ro'],
      ports: ['127.0.0.1::8080'],
      depends_on: ['db'],
    });
    // Maven runs at the top, not in the folder of perf/gate.yml.
    expect(stack.compose).toMatchObject({
      root: '..',
      file: 'compose.yml',
      build: [{ command: ['mvn', '-q', '-B', '-DskipTests', 'package'], outputs: ['target/shop-1.jar'] }],
    });
    expect(stack.compose?.buildImages).toBeUndefined();
    expect(jdk).toBe('25');
  });

  it.each([
    [
      'postgres',
      '{ image: "registry:5000/library/postgres:17" }',
      'jdbc:postgresql://db:5432/postgres postgres',
    ],
    [
      'from another publisher',
      '{ image: pgvector/pgvector:pg17, environment: [POSTGRES_USER=me, POSTGRES_PASSWORD=a b] }',
      'jdbc:postgresql://db:5432/me me a b',
    ],
    [
      'mysql',
      '{ image: mysql, environment: { MYSQL_DATABASE: shop, MYSQL_ROOT_PASSWORD: 1 } }',
      'jdbc:mysql://db:3306/shop root 1',
    ],
    [
      'mariadb',
      '{ image: mariadb, environment: { MARIADB_DATABASE: shop, MARIADB_USER: me, MARIADB_PASSWORD: x } }',
      'jdbc:mariadb://db:3306/shop me x',
    ],
  ])('connects Spring Boot to a database: %s', (_, service, connection) => {
    const { environment } = backing(`  db: ${service}\n`);
    const { SPRING_DATASOURCE_URL: url, SPRING_DATASOURCE_USERNAME: user } = environment;
    expect([url, user, environment.SPRING_DATASOURCE_PASSWORD].join(' ').trim()).toBe(connection);
    expect(environment.SPRING_DATASOURCE_HIKARI_INITIALIZATIONFAILTIMEOUT).toBe('60000');
    expect(environment.SPRING_R2DBC_URL).toBeUndefined();
  });

  it('connects Spring Boot to other backing services that it knows', () => {
    const { environment, said } = backing(`  cache: { image: valkey/valkey }
  documents:
    image: mongo
    environment: { MONGO_INITDB_ROOT_USERNAME: root, MONGO_INITDB_ROOT_PASSWORD: secret }
  queue: { image: "rabbitmq:4-management", environment: [RABBITMQ_DEFAULT_USER=me, RABBITMQ_DEFAULT_PASS=x] }
  mail: { image: axllent/mailpit }
  search: { image: elasticsearch, ports: ["9200"] }
  charts: { image: grafana/grafana, ports: ["3000"] }
`);
    expect(environment).toEqual({
      SERVER_PORT: '8080',
      SPRING_DATA_REDIS_HOST: 'cache',
      SPRING_DATA_REDIS_PORT: '6379',
      SPRING_DATA_MONGODB_URI: 'mongodb://root:secret@documents:27017/test?authSource=admin',
      SPRING_MONGODB_URI: 'mongodb://root:secret@documents:27017/test?authSource=admin',
      SPRING_RABBITMQ_HOST: 'queue',
      SPRING_RABBITMQ_USERNAME: 'me',
      SPRING_RABBITMQ_PASSWORD: 'x',
      SPRING_MAIL_HOST: 'mail',
      SPRING_MAIL_PORT: '1025',
    });
    expect(said).toMatch(/^edit: point the service to search:9200 in /m);
    expect(said).not.toContain('charts:3000');
  });

  it.each([
    [
      'two databases',
      '  db: { image: postgres }\n  other: { image: mysql, environment: [MYSQL_DATABASE=x] }\n',
    ],
    ['settings in an env file', '  db: { image: postgres, env_file: db.env }\n'],
    [
      'a name with special characters of a URL',
      '  db: { image: postgres, environment: ["POSTGRES_DB=a?b#c d"] }\n',
    ],
    [
      'a variable within a variable',
      '  db: { image: postgres, environment: ["POSTGRES_PASSWORD=${A:-${B}}"] }\n',
    ],
    ['no database name', '  db: { image: mysql }\n'],
    ['an unknown image', '  db: { image: "registry.example/base:3", ports: ["15432:5432"] }\n'],
    ['a password in the command', '  db: { image: redis, command: redis-server --requirepass x }\n'],
  ])('does not guess an address: %s', (_, services) => {
    const { environment, said } = backing(services);
    expect(environment).toEqual({ SERVER_PORT: '8080' });
    expect(said).toMatch(/^edit: point the service to db\b.* in `environment` of perf\/compose\.yml/m);
  });

  it('gives the service and its database the same value of a variable, whatever .env says', () => {
    const db = `{ image: postgres, environment: { POSTGRES_DB: "\${DB_NAME:-shop}", POSTGRES_PASSWORD: } }`;
    const { stack, environment } = backing(`  db: ${db}\n`, { '.env': 'DB_NAME=other\n' });
    expect(environment).toMatchObject({
      SPRING_DATASOURCE_URL: 'jdbc:postgresql://db:5432/${DB_NAME:-shop}',
      SPRING_DATASOURCE_PASSWORD: '${POSTGRES_PASSWORD}',
    });
    expect(stack.compose).toMatchObject({ env: { DB_NAME: 'shop' }, secrets: ['POSTGRES_PASSWORD'] });
  });

  it('runs the image that the repository builds, after building the jar that the image copies', () => {
    const db = '  db: { image: postgres }\n';
    const inside = backing(db, {
      Dockerfile: 'FROM maven AS m\nFROM x\nCOPY --from=m target/*.jar /a.jar\n',
    });
    expect(inside.own).toMatchObject({ build: '..', environment: { SERVER_PORT: '8080' } });
    expect(inside.own).not.toHaveProperty('image');
    expect(inside.stack.compose).toMatchObject({ buildImages: true });
    expect(inside.stack.compose).not.toHaveProperty('build');
    expect(inside.jdk).toBeUndefined();
    const outside = backing(db, { Dockerfile: 'FROM x\nCOPY target/shop-1.jar /a.jar\n' });
    expect(outside.stack.compose).toMatchObject({ root: '..', build: [{ outputs: ['target/shop-1.jar'] }] });
    expect(outside.jdk).toBe('25');
  });

  it('gives the service a free name, separate ports and the networks of its backing services', () => {
    const { stack, name, own, environment } = backing(
      '  service: { image: postgres, networks: [data] }\n  cache: { image: redis }\n',
      {
        'pom.xml': spring('shop').replace('<build>', 'spring-boot-starter-actuator<build>'),
        'src/main/resources/application.properties': 'management.server.port=9000\n',
      },
    );
    expect(name).toBe('service-under-test');
    expect(own).toMatchObject({
      networks: ['data', 'default'],
      ports: ['127.0.0.1::8080', '127.0.0.1::8081'],
    });
    expect(environment).toMatchObject({ SERVER_PORT: '8080', MANAGEMENT_SERVER_PORT: '8081' });
    expect(stack.compose).toMatchObject({ port: 8080, ready: { port: 8081 } });
  });

  it('reports the addresses of backing services for a service in another language', () => {
    const files = {
      ...compose('  cache: { image: redis, ports: ["6379:6379"] }\n'),
      'package.json': '{ "scripts": { "start": "node server.js" } }',
      'server.js': "app.get('/items'); listen(process.env.PORT)",
    };
    const said = (service: ReturnType<typeof guess>) => service.findings.map(({ text }) => text).join('\n');
    const container = guess({ ...files, Dockerfile: 'FROM node\nEXPOSE 3000\n' });
    expect(container.stack.compose).toMatchObject({ file: 'compose.yml', service: 'service', port: 3000 });
    expect(container.routes).toEqual(['/items']);
    expect(said(container)).toContain('point the service to cache:6379');
    const processes = guess(files);
    expect(processes.stack.process).toMatchObject({
      root: '..',
      service: { command: ['node', 'server.js'] },
    });
    expect(said(processes)).toMatch(/add the service to compose\.yml.*`stack\.process\.backing`/);
  });

  it('is refused with a next step if nothing else starts a service', () => {
    const db = '  db: { image: postgres, ports: ["5432"] }\n';
    expect(faultOf(compose(db))).toMatchObject({
      code: 'E_INIT_SERVICE',
      place: 'compose.yml',
      nextStep: expect.stringMatching(/^add yours to compose\.yml with `build: \.`.*Procfile/),
    });
    expect(faultOf(compose(`${db}  worker: { image: example/worker }\n`)).nextStep).toMatch(
      /^choose one with --service worker, or /,
    );
  });

  it('accepts modules and its own services as `--service`', () => {
    const modules = { 'pom.xml': '<project/>', 'a/pom.xml': spring('a'), 'b/pom.xml': spring('b') };
    const db = '  db: { image: postgres }\n';
    expect(backing(db, modules, 'b').own?.volumes).toEqual(['../b/target/b-1.jar:/service.jar:ro']);
    expect(faultOf({ ...compose(db), ...modules }).cause).toContain('a, b');
    expect(faultOf({ ...compose(db), 'package.json': '{"main":"x.js"}' }, 'shop').cause).toContain(
      'no service is called shop; these are possible: db',
    );
    // The user may name a service that init would skip.
    expect(guess({ ...compose(db), ...modules }, 'db').stack.compose?.service).toBe('db');
  });
});

describe('a jar that an image copies from the checkout', () => {
  const built = (dockerfile: string, files: Files, service = '{ build: . }') =>
    guess({ ...compose(`  web: ${service}\n`), Dockerfile: dockerfile, ...files });
  const steps = (...args: Parameters<typeof built>) => built(...args).stack.compose?.build;
  const maven = ['mvn', '-q', '-B', '-DskipTests', 'package'];

  it.each([
    ['every jar', 'COPY target/*.jar app.jar', 'target/shop-1.jar'],
    ['one jar', 'COPY --chown=1:1 ./target/own.jar /app.jar', 'target/own.jar'],
    ['the JSON form', 'COPY ["target/own.jar", "/app.jar"]', 'target/own.jar'],
    ['ADD', 'add target/own.jar app.jar', 'target/own.jar'],
    ['a build argument', 'ARG JAR="target/own.jar"\nCOPY ${JAR} app.jar', 'target/own.jar'],
    ['copied into the first stage', 'COPY target/own.jar a\nFROM x\nCOPY --from=0 a a', 'target/own.jar'],
    ['a folder', 'COPY target/quarkus-app/lib/ target/quarkus-app/*.jar /app/', 'target/quarkus-app/lib'],
    ['the whole output', 'COPY target /app', 'target'],
  ])('is built first: %s', (_, copy, output) => {
    const [step, ...others] = steps(`FROM x\n${copy}\n`, { 'pom.xml': spring('shop') }) ?? [];
    expect(step).toMatchObject({ command: maven, inputs: ['pom.xml', 'src/main'] });
    expect(step?.outputs).toContain(output);
    expect(others).toEqual([]);
  });

  it('comes from its own Maven module or Gradle project', () => {
    const command = (...args: Parameters<typeof built>) =>
      steps(...args)?.map((step) => step.command.join(' '));
    const module = { 'pom.xml': '<project/>', 'web/pom.xml': spring('web'), mvnw: '' };
    const ofModule = ['sh ./mvnw -q -B -DskipTests -pl web -am package'];
    expect(command('COPY web/target/*.jar /', module)).toEqual(ofModule);
    const inFolder = { ...module, 'web/Dockerfile': 'COPY target/*.jar /' };
    expect(command('', inFolder, '{ build: ./web/ }')).toEqual(ofModule);
    expect(command('COPY web/target/*.jar /', { 'web/pom.xml': spring('web'), 'web/mvnw': '' })).toEqual([
      'sh ./web/mvnw -q -B -f web/pom.xml -DskipTests package',
    ]);
    const boot = 'plugins { id("org.springframework.boot") }';
    const project = { 'settings.gradle.kts': '', 'web/build.gradle.kts': boot, gradlew: '' };
    expect(command('COPY web/build/libs/*.jar /', project)).toEqual(['sh ./gradlew -q :web:bootJar']);
    expect(command('COPY web/build/libs/*.jar /', { 'web/build.gradle': 'plugins {}' })).toEqual([
      'gradle -q -p web assemble',
    ]);
  });

  it('is built once for all images, whichever service is measured', () => {
    const files = { 'pom.xml': spring('shop'), Jobs: 'COPY target/jobs.jar /\n' };
    const services = '{ build: ., ports: ["80"] }\n  jobs: { build: { context: ., dockerfile: Jobs } }';
    expect(steps('COPY target/*.jar /', files, services)).toEqual([
      { command: maven, inputs: ['pom.xml', 'src/main'], outputs: ['target/shop-1.jar', 'target/jobs.jar'] },
    ]);
  });

  it('needs the JDK that its build names', () => {
    const pom = spring('shop').replace('<version>', '<java.version>17</java.version><version>');
    expect(built('COPY target/*.jar /', { 'pom.xml': pom }).jdk).toBe('17');
    const unsaid = built('COPY target/*.jar /', { 'pom.xml': spring('shop') });
    expect(unsaid.jdk).toBe('21');
    expect(unsaid.findings.map(({ text }) => text)).toContain(
      'JDK 21 in the workflows, because the build names no version',
    );
  });

  it.each([
    ['copied from another stage', 'COPY --from=build /app/target/*.jar /', { 'pom.xml': spring('shop') }],
    ['without a build', 'COPY target/*.jar /', {}],
    ['of another build tool', 'COPY build/libs/*.jar /', { 'pom.xml': spring('shop') }],
    ['outside the repository', 'COPY ../../shop/target/*.jar /', { 'pom.xml': spring('shop') }],
    ['in a folder with a similar name', 'COPY targets/*.jar mytarget/x.jar /', { 'pom.xml': spring('shop') }],
  ])('is not built: %s', (_, copy, files) => {
    const { stack, jdk } = built(`FROM x\n${copy}\n`, files);
    expect(stack.compose).not.toHaveProperty('build');
    expect(stack.compose).not.toHaveProperty('root');
    expect(jdk).toBeUndefined();
  });

  it('is also built for a Dockerfile without a compose file', () => {
    const { stack, jdk } = guess({
      Dockerfile: 'FROM x\nCOPY target/a.jar /\n',
      'pom.xml': '<project><artifactId>a</artifactId></project>',
    });
    expect(stack.compose).toMatchObject({ root: '..', file: 'compose.yml', build: [{ command: maven }] });
    expect(jdk).toBe('21');
  });
});

describe('a compose file that cannot be read', () => {
  it.each([
    ['invalid YAML', 'services:\n  web: [\n', 'compose.yml:3:1'],
    ['a tab', 'services:\n\tweb: {}\n', 'compose.yml:2:1'],
    ['an alias without its anchor', 'services: { web: *nothing }\n', 'compose.yml'],
    ['no services', 'version: "3"\n', 'compose.yml'],
    ['a list of services', 'services: [web]\n', 'compose.yml'],
    ['a name that Compose refuses', 'services: { "web\\n::error::x": { build: . } }\n', 'compose.yml'],
    ['nothing', '', 'compose.yml'],
    ['endless nesting', `services: ${'['.repeat(50_000)}`, 'compose.yml'],
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

describe('the command that starts a service', () => {
  it('needs a name if several are possible', () => {
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
      // No inputs, because a module also depends on files outside its folder.
      build: [{ command: ['mvn', '-q', '-B', '-DskipTests', '-pl', 'orders', '-am', 'package'] }],
      service: { command: ['java', '-jar', 'orders/target/orders-1.jar'] },
    });
    const named = { 'go.mod': 'module x', 'server.go': 'package main\n\nfunc main() {}\n' };
    expect(guess(named).stack.process?.build?.[0]?.command).toContain('.');
    const gin = 'package main\n\nimport "github.com/gin-gonic/gin"\n\nfunc main() { gin.Default().Run() }\n';
    expect(guess({ ...named, 'server.go': gin }).stack.process?.service.ports).toEqual({ PORT: 'auto' });
    const go = { 'go.mod': 'module x', 'cmd/a/main.go': '', 'cmd/b/main.go': '' };
    expect(faultOf(go).nextStep).toBe('choose one, such as --service a');
    expect(guess(go, 'b').stack.process?.build?.[0]?.command).toContain('./cmd/b');
    expect(faultOf(go, 'c').code).toBe('E_INIT_SERVICE');
  });

  it('is missing in an empty repository, and the error suggests a Procfile', () => {
    for (const files of [{}, { 'README.md': '# shop' }, { 'package.json': '{"name":"library"}' }]) {
      expect(faultOf(files)).toMatchObject({
        code: 'E_INIT_COMMAND',
        nextStep: expect.stringContaining('web: ./server --port $PORT'),
      });
    }
  });

  it.each([
    ['invalid JSON', '{"scripts": '],
    ['no JSON object', '[]'],
    ['nothing', ''],
  ])('is not guessed from a package.json that holds %s', (_, text) => {
    expect(faultOf({ 'package.json': text })).toMatchObject({
      code: 'E_INIT_READ',
      place: 'package.json',
    });
  });

  it('is the file that nodemon runs, or one with a usual name, where no script starts it', () => {
    const files = { 'src/index.js': '', 'lib/api.js': '' };
    const command = (dev?: string) =>
      guess({ ...files, 'package.json': JSON.stringify({ scripts: { dev } }) }).stack.process?.service
        .command;
    expect(command('nodemon -L ./lib/api.js')).toEqual(['node', 'lib/api.js']);
    expect(command('nodemon')).toEqual(['node', 'src/index.js']);
    expect(command()).toEqual(['node', 'src/index.js']);
  });

  it('is npm if the script is more than a program with arguments', () => {
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

  it('is a shell with `exec` if the Procfile line needs one; the gate expands only PORT', () => {
    const command = (line: string) => guess({ Procfile: `web: ${line}\n` }).stack.process?.service.command;
    expect(command('./run --port=${PORT}')).toEqual(['./run', '--port=${PORT}']);
    expect(command('./run "$HOME" ${NAME}')).toEqual(['sh', '-c', 'exec ./run "$HOME" $NAME']);
    expect(command('cd web && ./run')).toEqual(['sh', '-c', 'cd web && ./run']);
    expect(command('MODE=fast node a.js')).toEqual(['sh', '-c', 'MODE=fast node a.js']);
    expect(command('java -Dmode=fast -jar a.jar')?.[0]).toBe('java');
  });

  it('never contains an absolute path of the container', () => {
    const files = { Dockerfile: 'FROM python\nCMD ["python", "/srv/app.py"]\n', 'app.py': '' };
    expect(guess(files).stack.process?.service.command).toEqual(['python3', 'app.py']);
  });
});

describe('what init leaves to edit', () => {
  const edits = (files: Files) =>
    guess(files).findings.flatMap(({ kind, text }) => (kind === 'edit' ? [text] : []));
  const packages = { 'package.json': '{"scripts":{"start":"node a.js"},"dependencies":{"express":"5"}}' };
  const python = { 'main.py': 'app = FastAPI()\n' };
  const poetry = '[tool.poetry]\nname = "x"\n';

  it('is a step for pnpm in the workflows, which runners lack', () => {
    expect(edits({ ...packages, 'pnpm-lock.yaml': '' })).toContainEqual(
      expect.stringContaining('pnpm/action-setup'),
    );
    for (const lock of ['package-lock.json', 'yarn.lock']) {
      expect(edits({ ...packages, [lock]: '' }).join(), lock).not.toContain('pnpm');
    }
  });

  it.each<[string, Files]>([
    ['pyproject.toml', { 'pyproject.toml': poetry }],
    ['Pipfile', { Pipfile: '[packages]\nfastapi = "*"\n' }],
  ])('is the installation of the packages of %s', (manifest, files) => {
    expect(edits({ ...python, ...files })).toContainEqual(
      expect.stringContaining(`install the packages of ${manifest} `),
    );
  });

  it.each<[string, Files]>([
    ['requirements.txt', { 'requirements.txt': 'fastapi\n', Pipfile: '' }],
    ['[project]', { 'pyproject.toml': `[project]\nname = "x"\n${poetry}` }],
    ['nothing', { 'pyproject.toml': '[tool.ruff]\n' }],
  ])('is no installation where pip has %s to install', (_, files) => {
    expect(edits({ ...python, ...files }).join()).not.toContain('install');
  });

  it.each<[string | undefined, string, string]>([
    ['1.2.0', "version '1.2.0'", ''],
    ['1.2.0', 'version = "1.2.0"', 'version=9'],
    ['1.3.0', '', 'group = shop\nversion = 1.3.0\n'],
    [undefined, '', 'group=shop\n'],
    [undefined, 'version = scm.version', 'version=9'],
  ])('is the name of a Gradle jar unless its version, %s, is known', (version, line, properties) => {
    const files = {
      'build.gradle': `plugins { id 'org.springframework.boot' }\n${line}\n`,
      'gradle.properties': properties,
    };
    const jar = `build/libs/shop${version === undefined ? '' : `-${version}`}.jar`;
    expect(guess(files).stack.process?.service.command.at(-1)).toBe(jar);
    const unknown = `correct the name of the jar, ${jar}, in the files of perf/`;
    expect(edits(files).includes(unknown)).toBe(version === undefined);
  });
});

describe('a port', () => {
  it('is always a number from 1 to 65535', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const { stack } = guess(compose(`  web: { build: ., ports: [${JSON.stringify(text)}] }\n`));
        const port = stack.compose?.port ?? 0;
        expect(Number.isInteger(port) && port >= 1 && port <= 65_535).toBe(true);
      }),
    );
  });

  it('is any free port if the source reads PORT, otherwise the port that the source names', () => {
    const port = (source: string, file = 'server.js') =>
      guess({ 'package.json': '{}', [file]: source, 'server.js': file === 'server.js' ? source : '' }).stack
        .process?.service.ports.PORT;
    expect(port("listen(process.env['PORT'])")).toBe('auto');
    expect(port('server.listen( 4000 )')).toBe(4000);
    expect(port('server.listen(99999)')).toBe(3000);
    expect(port('')).toBe(3000);
  });
});

describe('untrusted text', () => {
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

  /** The kind of stack, or the code of the fault that refuses the files. */
  function outcomeOf(files: Files): string {
    try {
      return Object.keys(guess(files).stack).join();
    } catch (error) {
      if (error instanceof Fault) return error.details.code;
      throw error;
    }
  }

  /** CPU time in milliseconds to read or refuse each file, filled with that text. */
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
  ])('takes linear time to read: %j', (part) => {
    const plainMs = cpuMsFor('a plain line of text\n');
    const ms = cpuMsFor(part);
    // Linear reading takes up to 4 times as long. Quadratic reading takes hundreds of times as long.
    expect(ms).toBeLessThan(20 * plainMs);
  });

  it('never becomes part of a path or a command', () => {
    for (const name of ['../../x', 'a b', '-Dx', '${env.HOME}', 'a/b', '$(x)']) {
      const { stack } = guess({
        'pom.xml': spring(name).replace('<version>1<', `<version>${name}<`),
        Procfile: 'web: x',
      });
      expect(JSON.stringify(stack), name).not.toContain(name);
    }
  });
});
