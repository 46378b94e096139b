/**
 * The beginnings of packages that are hardly ever a team's own: the JDK, frameworks, drivers. A library that is missing here
 * counts as own code, so its method is named instead of the one that calls it, which then is the caller or above it.
 */
const libraries: readonly string[] = [
  ...['java', 'javax', 'jakarta', 'jdk', 'sun', 'com.sun', 'kotlin', 'kotlinx', 'scala', 'groovy', 'clojure'],
  ...[
    'org.springframework',
    'org.apache',
    'org.hibernate',
    'org.eclipse',
    'org.jboss',
    'org.aspectj',
    'org.jooq',
  ],
  ...[
    'org.slf4j',
    'ch.qos',
    'org.mariadb',
    'org.postgresql',
    'com.mysql',
    'org.h2',
    'oracle',
    'com.microsoft',
  ],
  ...[
    'com.zaxxer',
    'com.fasterxml',
    'tools.jackson',
    'com.google',
    'com.github',
    'io.micrometer',
    'io.netty',
  ],
  ...[
    'io.lettuce',
    'redis.clients',
    'org.redisson',
    'com.mongodb',
    'org.thymeleaf',
    'org.yaml',
    'org.bouncycastle',
  ],
  ...['io.undertow', 'io.vertx', 'io.quarkus', 'io.micronaut', 'io.grpc', 'reactor', 'rx', 'io.reactivex'],
  ...[
    'okhttp3',
    'okio',
    'retrofit2',
    'feign',
    'io.opentelemetry',
    'io.prometheus',
    'net.bytebuddy',
    'org.flywaydb',
  ],
];

/** Whether a method, named as `package.Class.method`, is hardly the team's own. */
export function isLibraryFrame(frame: string): boolean {
  return libraries.some((library) => frame.startsWith(`${library}.`));
}
