/** Databases that run in the process of the service, by what names their driver in a build and in a JDBC address. */
const embedded = [
  { name: 'H2', driver: 'com.h2database', scheme: 'h2' },
  { name: 'HSQLDB', driver: 'org.hsqldb', scheme: 'hsqldb' },
  { name: 'Derby', driver: 'org.apache.derby', scheme: 'derby' },
  { name: 'SQLite', driver: 'org.xerial', scheme: 'sqlite' },
] as const;

/**
 * The database that a Spring Boot service starts in its own process; undefined if it needs a server. Without an address
 * of a database, Spring Boot takes what it finds among the dependencies.
 */
export function embeddedDatabase(build: string, properties: ReadonlyMap<string, string>): string | undefined {
  const url = properties.get('spring.datasource.url');
  return embedded.find(
    ({ driver, scheme }) => hasAtRuntime(build, driver) && (url?.startsWith(`jdbc:${scheme}:`) ?? true),
  )?.name;
}

/** Whether a build of Maven or Gradle has a dependency of that group, and not for tests alone. */
function hasAtRuntime(build: string, group: string): boolean {
  const maven = build.split('<dependency>').filter((part) => part.includes(`<groupId>${group}</groupId>`));
  const gradle = build.split(/[\n{;]/).filter((line) => line.includes(`${group}:`));
  return (
    maven.some((part) => !/<scope>\s*test\s*<\/scope>/.test(part.split('</dependency>')[0] ?? '')) ||
    gradle.some((line) => !/\btest\w*/.test(line))
  );
}
