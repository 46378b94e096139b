import { edit, type Finding } from '../finding.ts';
import type { Repository } from '../repository.ts';

const manifests = [
  'pom.xml',
  'build.gradle',
  'build.gradle.kts',
  'package.json',
  'requirements.txt',
  'pyproject.toml',
  'go.mod',
  'Cargo.toml',
];
const drivers: readonly (readonly [name: string, pattern: RegExp])[] = [
  ['PostgreSQL', /postgres|psycopg|asyncpg|"pg"|lib\/pq|\/pgx/i],
  ['MySQL or MariaDB', /mysql|mariadb/i],
  ['Redis', /redis/i],
  ['MongoDB', /mongo/i],
  ['Kafka', /kafka/i],
  ['RabbitMQ', /amqp|rabbitmq/i],
];

/** Lists the backing services that a process probably needs, by the drivers among its dependencies. */
export function backingFindings(repository: Repository): readonly Finding[] {
  const needed = drivers.flatMap(([name, pattern]) => {
    const paths = manifests.filter((path) => pattern.test(ownDependencies(repository.text(path) ?? '')));
    return paths.length === 0 ? [] : [`${name} (${paths.join(', ')})`];
  });
  if (needed.length === 0) return [];
  return [
    edit(
      `the service seems to need ${needed.join(', ')}: start that in \`stack.process.backing\`, or write a compose file with both and run init again`,
    ),
  ];
}

/** Without the lines of a go.mod that name what another dependency may use. */
function ownDependencies(manifest: string): string {
  return manifest.replaceAll(/^.*\/\/ indirect$/gm, '');
}
