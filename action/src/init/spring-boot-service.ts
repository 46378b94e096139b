import { edit, type Finding, found, guessed } from './finding.ts';
import { javaOf, type MavenModule, mavenModule } from './maven.ts';
import { manifestText, type Repository, sourceTexts } from './repository.ts';
import { routesIn } from './routes.ts';
import { serviceFault } from './service-fault.ts';
import { springProperties } from './spring-properties.ts';
import type { BuildStep, Start } from './start.ts';

/** What makes the jar, and where it then lies. */
interface Build {
  /** Folder of the module, `` at the top. */
  readonly folder: string;
  /** Text that names the dependencies. */
  readonly text: string;
  readonly step: BuildStep;
  readonly jar: string;
  readonly findings: readonly Finding[];
}

const webPath = /^\/[\w./-]{0,100}$/;

/** A Spring Boot service that Maven or Gradle builds. */
export function springBootService(repository: Repository, asked: string | undefined): Start | undefined {
  const build = mavenBuild(repository, asked) ?? gradleBuild(repository);
  if (build === undefined) return undefined;
  const properties = springProperties(repository, build.folder);
  const context =
    pathFrom(properties, 'server.servlet.context-path') ??
    pathFrom(properties, 'spring.webflux.base-path') ??
    '';
  const routes = routesIn(sourceTexts(repository, ['.java', '.kt'])).map((path) => `${context}${path}`);
  const actuator = build.text.includes('spring-boot-starter-actuator');
  const prometheus = actuator && build.text.includes('micrometer-registry-prometheus');
  const ownPort = properties.has('management.server.port');
  const management = actuator && ownPort ? 'MANAGEMENT_SERVER_PORT' : 'SERVER_PORT';
  const actuatorBase = `${ownPort ? '' : context}${pathFrom(properties, 'management.endpoints.web.base-path') ?? '/actuator'}`;
  const readyPath = actuator ? `${actuatorBase}/health/readiness` : (routes[0] ?? `${context}/`);
  const jdk = javaOf(build.text);
  return {
    stack: {
      root: '..',
      build: [build.step],
      service: {
        command: ['java', '-jar', build.jar],
        ...(actuator ? { env: actuatorEnv(prometheus) } : {}),
        ports: Object.fromEntries(
          [...new Set(['SERVER_PORT', management])].map((name) => [name, 'auto' as const]),
        ),
        url: 'http://127.0.0.1:${SERVER_PORT}',
        ready: { url: `http://127.0.0.1:\${${management}}${readyPath}` },
        ...(prometheus ? { metrics: `http://127.0.0.1:\${${management}}${actuatorBase}/prometheus` } : {}),
      },
    },
    routes: routes.length > 0 ? routes : [ownPort && actuator ? `${context}/` : readyPath],
    jdk: jdk ?? '21',
    findings: [
      ...build.findings,
      found('Spring Boot listens where SERVER_PORT says: the gate takes a free port'),
      ...readyFindings(actuator, readyPath),
      ...(prometheus ? [found('its Prometheus metrics: warm-up waits for the JIT compiler too')] : []),
      ...(jdk === undefined ? [guessed('JDK 21 in the workflows: the build does not say which')] : []),
    ],
  };
}

/** Whatever its own configuration says: readiness apart from health, and the metrics shown. */
function actuatorEnv(prometheus: boolean): Record<string, string> {
  return {
    MANAGEMENT_ENDPOINT_HEALTH_PROBES_ENABLED: 'true',
    ...(prometheus ? { MANAGEMENT_ENDPOINTS_WEB_EXPOSURE_INCLUDE: 'health,prometheus' } : {}),
  };
}

function readyFindings(actuator: boolean, path: string): readonly Finding[] {
  if (actuator) return [found(`the actuator: ready once ${path} answers 2xx`)];
  return [
    guessed(`ready once ${path} answers 2xx: there is no actuator`),
    edit(
      'add spring-boot-starter-actuator, which knows when the service is ready, or correct `ready` in perf/gate.yml',
    ),
  ];
}

function pathFrom(properties: ReadonlyMap<string, string>, key: string): string | undefined {
  const path = properties.get(key)?.replace(/\/$/, '');
  return path !== undefined && webPath.test(path) ? path : undefined;
}

function mavenBuild(repository: Repository, asked: string | undefined): Build | undefined {
  const modules = repository.paths
    .filter((path) => /^([\w.-]+\/)?pom\.xml$/.test(path))
    .flatMap((path) => {
      const text = manifestText(repository, path) ?? '';
      const module = mavenModule(path.slice(0, -'/pom.xml'.length), text);
      // The plug-in makes the jar that runs by itself.
      return module !== undefined && text.includes('spring-boot-maven-plugin') ? [{ module, text }] : [];
    });
  const names = modules.map(({ module }) => module.artifact);
  const candidates =
    asked === undefined ? modules : modules.filter(({ module }) => module.artifact === asked);
  const [chosen, ...others] = candidates;
  if (chosen === undefined) {
    if (asked === undefined || modules.length === 0) return undefined;
    throw serviceFault('pom.xml', names, asked);
  }
  if (others.length > 0) throw serviceFault('pom.xml', names, undefined);
  const top = manifestText(repository, 'pom.xml') ?? '';
  return fromMaven(repository, chosen.module, `${top}\n${chosen.text}`);
}

function fromMaven({ paths }: Repository, module: MavenModule, text: string): Build {
  const { folder } = module;
  const within = folder === '' ? '' : `${folder}/`;
  const jar = `${within}target/${module.jar ?? 'service.jar'}`;
  const mvn = paths.includes('mvnw') ? './mvnw' : 'mvn';
  const alone = folder === '' && !paths.some((path) => /^[^/]+\/pom\.xml$/.test(path));
  return {
    folder,
    text,
    step: {
      command: [mvn, '-q', '-B', '-DskipTests', ...(folder === '' ? [] : ['-pl', folder, '-am']), 'package'],
      // A module's own folder is not all that it is made of.
      ...(alone ? { inputs: ['pom.xml', 'src/main'] } : {}),
      outputs: [jar],
    },
    jar,
    findings: [
      found(`${within}pom.xml with Spring Boot: ${mvn} builds ${jar}`),
      ...(module.jar === undefined
        ? [edit('correct the name of the jar in `stack.process` of perf/gate.yml')]
        : []),
    ],
  };
}

function gradleBuild(repository: Repository): Build | undefined {
  const file = ['build.gradle', 'build.gradle.kts'].find((path) => repository.paths.includes(path));
  const text = file === undefined ? undefined : manifestText(repository, file);
  if (text?.includes('org.springframework.boot') !== true) return undefined;
  const settings = ['settings.gradle', 'settings.gradle.kts']
    .map((path) => repository.text(path) ?? '')
    .join('\n');
  const name = /rootProject\.name\s*=\s*['"]([A-Za-z0-9][\w.-]{0,80})['"]/.exec(settings)?.[1];
  const version = /^version\s*=\s*['"]([\w.-]{1,40})['"]/m.exec(text)?.[1];
  const jar = `build/libs/${name ?? 'service'}${version === undefined ? '' : `-${version}`}.jar`;
  const gradle = repository.paths.includes('gradlew') ? './gradlew' : 'gradle';
  return {
    folder: '',
    text,
    // Gradle knows what has changed.
    step: { command: [gradle, '-q', 'bootJar'], outputs: [jar] },
    jar,
    findings: [
      found(`${file} with Spring Boot: ${gradle} builds ${jar}`),
      ...(name === undefined
        ? [edit('correct the name of the jar in `stack.process` of perf/gate.yml')]
        : []),
    ],
  };
}
