import { edit, type Finding, found, guessed } from '../finding.ts';
import { manifestText, type Repository, serviceFault, sourceTexts } from '../repository.ts';
import { embeddedDatabase } from './embedded-database.ts';
import { builderOf, defaultJdk, gradleStep, guessedJdk, mavenStep } from './jvm-build.ts';
import { javaOf, type MavenModule, mavenModule } from './maven.ts';
import { routesIn } from './routes.ts';
import { springProperties } from './spring-properties.ts';
import { type Signals, springSignals } from './spring-signals.ts';
import type { BuildStep, Start } from './start.ts';

/** The step that makes the jar, and the path of the jar. */
export interface Build {
  /** Folder of the module; empty for the top. */
  readonly folder: string;
  /** Text that names the dependencies. */
  readonly text: string;
  readonly step: BuildStep;
  readonly jar: string;
  readonly findings: readonly Finding[];
}

const webPath = /^\/[\w./-]{0,100}$/;

/** A Spring Boot service that Maven or Gradle builds, whether it then runs as a process or in a container. */
export interface SpringBoot {
  readonly build: Build;
  /** One or more paths for a first scenario. */
  readonly routes: readonly string[];
  readonly readyPath: string;
  /** True if its actuator listens on a separate port. */
  readonly separateManagementPort: boolean;
  /** Path of its Prometheus metrics, on the port of the readiness check; undefined if it has none. */
  readonly metricsPath: string | undefined;
  readonly env: Readonly<Record<string, string>>;
  /** Costs that its metrics count. */
  readonly signals: Signals;
  /** Name of a database that runs in the process of the service; undefined if there is none. */
  readonly embeddedDatabase: string | undefined;
  /** Major version; undefined if the build does not say. */
  readonly jdk: string | undefined;
  readonly findings: readonly Finding[];
}

export function readSpringBoot(
  repository: Repository,
  requested: string | undefined,
): SpringBoot | undefined {
  const build = mavenBuild(repository, requested) ?? gradleBuild(repository);
  if (build === undefined) return undefined;
  const properties = springProperties(repository, build.folder);
  const context =
    pathFrom(properties, 'server.servlet.context-path') ??
    pathFrom(properties, 'spring.webflux.base-path') ??
    '';
  const routes = routesIn(sourceTexts(repository, ['.java', '.kt'])).map((path) => `${context}${path}`);
  const actuator = build.text.includes('spring-boot-starter-actuator');
  const prometheus = actuator && build.text.includes('micrometer-registry-prometheus');
  const separateManagementPort = actuator && properties.has('management.server.port');
  const signals = prometheus ? springSignals(build.text) : {};
  const costs = Object.values(signals).map(({ title }) => title);
  const actuatorBase = `${separateManagementPort ? '' : context}${pathFrom(properties, 'management.endpoints.web.base-path') ?? '/actuator'}`;
  const readyPath = actuator ? `${actuatorBase}/health/readiness` : (routes[0] ?? `${context}/`);
  return {
    build,
    routes: routes.length > 0 ? routes : [separateManagementPort ? `${context}/` : readyPath],
    readyPath,
    separateManagementPort,
    metricsPath: prometheus ? `${actuatorBase}/prometheus` : undefined,
    env: actuator ? actuatorEnv(prometheus) : {},
    signals,
    embeddedDatabase: embeddedDatabase(build.text, properties),
    jdk: javaOf(build.text),
    findings: [
      ...readyFindings(actuator, readyPath),
      ...(prometheus ? [found('Prometheus metrics, so warm-up waits for the JIT compiler too')] : []),
      ...(costs.length === 0
        ? []
        : [found(`it counts ${costs.join(' and ')}, and growth fails the check too`)]),
    ],
  };
}

/** Runs the service as a process on this machine. */
export function springBootProcess(spring: SpringBoot): Start {
  const { build, env, readyPath, metricsPath, jdk } = spring;
  const management = spring.separateManagementPort ? 'MANAGEMENT_SERVER_PORT' : 'SERVER_PORT';
  return {
    stack: {
      root: '..',
      build: [build.step],
      service: {
        command: ['java', '-jar', build.jar],
        ...(Object.keys(env).length === 0 ? {} : { env: { ...env } }),
        ports: Object.fromEntries(
          [...new Set(['SERVER_PORT', management])].map((name) => [name, 'auto' as const]),
        ),
        url: 'http://127.0.0.1:${SERVER_PORT}',
        ready: { url: `http://127.0.0.1:\${${management}}${readyPath}` },
        ...(metricsPath === undefined ? {} : { metrics: `http://127.0.0.1:\${${management}}${metricsPath}` }),
      },
    },
    routes: spring.routes,
    signals: spring.signals,
    jdk: jdk ?? defaultJdk,
    findings: [
      ...build.findings,
      found('Spring Boot listens on the port in SERVER_PORT, so the gate chooses a free one'),
      ...spring.findings,
      ...(jdk === undefined ? [guessedJdk] : []),
    ],
  };
}

/** Enables the readiness probe and the metrics, which the service's own configuration may disable. */
function actuatorEnv(prometheus: boolean): Record<string, string> {
  return {
    MANAGEMENT_ENDPOINT_HEALTH_PROBES_ENABLED: 'true',
    ...(prometheus ? { MANAGEMENT_ENDPOINTS_WEB_EXPOSURE_INCLUDE: 'health,prometheus' } : {}),
  };
}

function readyFindings(actuator: boolean, path: string): readonly Finding[] {
  if (actuator) return [found(`ready once ${path} answers 2xx, as the actuator provides`)];
  return [
    guessed(`ready once ${path} answers 2xx, because the build has no actuator`),
    edit('add spring-boot-starter-actuator, which reports readiness, or correct `ready` in perf/gate.yml'),
  ];
}

function pathFrom(properties: ReadonlyMap<string, string>, key: string): string | undefined {
  const path = properties.get(key)?.replace(/\/$/, '');
  return path !== undefined && webPath.test(path) ? path : undefined;
}

function mavenBuild(repository: Repository, requested: string | undefined): Build | undefined {
  const modules = repository.paths
    .filter((path) => /^([\w.-]+\/)?pom\.xml$/.test(path))
    .flatMap((path) => {
      const text = manifestText(repository, path) ?? '';
      const module = mavenModule(path.slice(0, -'/pom.xml'.length), text);
      // This plug-in makes an executable jar.
      return module !== undefined && text.includes('spring-boot-maven-plugin') ? [{ module, text }] : [];
    });
  const names = modules.map(({ module }) => module.artifact);
  const candidates =
    requested === undefined ? modules : modules.filter(({ module }) => module.artifact === requested);
  const [chosen, ...others] = candidates;
  if (chosen === undefined) {
    if (requested === undefined || modules.length === 0) return undefined;
    throw serviceFault('pom.xml', names, requested);
  }
  if (others.length > 0) throw serviceFault('pom.xml', names, undefined);
  const top = manifestText(repository, 'pom.xml') ?? '';
  return fromMaven(repository, chosen.module, `${top}\n${chosen.text}`);
}

function fromMaven(repository: Repository, module: MavenModule, text: string): Build {
  const { folder } = module;
  const within = folder === '' ? '' : `${folder}/`;
  const jar = `${within}target/${module.jar ?? 'service.jar'}`;
  const step = mavenStep(repository, folder, [jar]);
  return {
    folder,
    text,
    step,
    jar,
    findings: [
      found(`${within}pom.xml with Spring Boot, so ${builderOf(step)} builds ${jar}`),
      ...(module.jar === undefined ? [unknownJar(jar)] : []),
    ],
  };
}

function unknownJar(jar: string): Finding {
  return edit(`correct the name of the jar, ${jar}, in the files of perf/`);
}

function gradleBuild(repository: Repository): Build | undefined {
  const file = ['build.gradle', 'build.gradle.kts'].find((path) => repository.paths.includes(path));
  const text = file === undefined ? undefined : manifestText(repository, file);
  if (text?.includes('org.springframework.boot') !== true) return undefined;
  const settings = ['settings.gradle', 'settings.gradle.kts']
    .map((path) => repository.text(path) ?? '')
    .join('\n');
  const named = /rootProject\.name\s*=\s*['"]([A-Za-z0-9][\w.-]{0,80})['"]/.exec(settings)?.[1];
  // Without a name, Gradle takes that of the folder.
  const folder = /^[A-Za-z0-9][\w.-]{0,80}$/.exec(repository.name)?.[0];
  const name = named ?? folder;
  const version = gradleVersion(repository, text);
  const jar = `build/libs/${name ?? 'service'}${version === undefined ? '' : `-${version}`}.jar`;
  const step = gradleStep(repository, '', text, [jar]);
  return {
    folder: '',
    text,
    step,
    jar,
    findings: [
      found(`${file} with Spring Boot, so ${builderOf(step)} builds ${jar}`),
      ...(name === undefined || version === undefined ? [unknownJar(jar)] : []),
    ],
  };
}

/** The version that the jar is named after; undefined if only Gradle can tell. A build's own goes before properties. */
function gradleVersion(repository: Repository, build: string): string | undefined {
  if (/^version\b/m.test(build)) return /^version\s{0,40}=?\s{0,40}['"]([\w.-]{1,40})['"]/m.exec(build)?.[1];
  const properties = repository.text('gradle.properties') ?? '';
  return /^version[ \t]{0,40}[=:][ \t]{0,40}([\w.-]{1,40})\s*$/m.exec(properties)?.[1];
}
