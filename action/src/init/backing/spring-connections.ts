import type { ComposedService } from './compose-text.ts';
import { imageName } from './images.ts';

/** How a Spring Boot service reaches the services of a compose file, in the network of that file. */
export interface Connections {
  readonly environment: Readonly<Record<string, string>>;
  /** Names of the services whose addresses the environment sets. */
  readonly known: readonly string[];
  readonly unknown: readonly string[];
  /** Variables of the compose file that the gate sets to a new random text in each run. */
  readonly secrets: readonly string[];
  /** Other variables of the compose file, with their defaults. */
  readonly variables: Readonly<Record<string, string>>;
}

type Environment = Readonly<Record<string, string>>;
/** Returns the value of the first of these variables that the compose file sets. */
type Setting = (...names: readonly string[]) => string | undefined;

interface Kind {
  readonly images: RegExp;
  /** Variables that connect Spring Boot; undefined if the compose file says too little. */
  readonly connect: (host: string, setting: Setting, build: string) => Environment | undefined;
}

/** A database accepts connections seconds after its container starts. By default, the pool gives up at once. */
const poolTimeout = { SPRING_DATASOURCE_HIKARI_INITIALIZATIONFAILTIMEOUT: '60000' };

const kinds: readonly Kind[] = [
  {
    images: /^(postgres(ql)?|postgis|pgvector|timescaledb(-ha)?)$/,
    connect: (host, setting, build) => {
      const user = setting('POSTGRES_USER', 'POSTGRESQL_USER', 'POSTGRESQL_USERNAME') ?? 'postgres';
      const database = setting('POSTGRES_DB', 'POSTGRESQL_DB', 'POSTGRESQL_DATABASE') ?? user;
      const password = setting('POSTGRES_PASSWORD', 'POSTGRESQL_PASSWORD');
      return sql('postgresql', `${host}:5432/${database}`, user, password, build);
    },
  },
  {
    images: /^mariadb$/,
    connect: (host, setting, build) =>
      mysql(
        mentionsOnly(/mysql-connector/, /mariadb-java/, build) ? 'mysql' : 'mariadb',
        host,
        setting,
        build,
      ),
  },
  {
    images: /^mysql$/,
    connect: (host, setting, build) =>
      mysql(
        mentionsOnly(/mariadb-java/, /mysql-connector/, build) ? 'mariadb' : 'mysql',
        host,
        setting,
        build,
      ),
  },
  {
    images: /^(redis(-stack(-server)?)?|valkey)$/,
    connect: (host, setting) => ({
      SPRING_DATA_REDIS_HOST: host,
      SPRING_DATA_REDIS_PORT: '6379',
      ...optional('SPRING_DATA_REDIS_PASSWORD', setting('REDIS_PASSWORD', 'VALKEY_PASSWORD')),
    }),
  },
  {
    images: /^(mongo(db)?|mongodb-community-server)$/,
    connect: (host, setting) => {
      const user = setting('MONGO_INITDB_ROOT_USERNAME', 'MONGODB_INITDB_ROOT_USERNAME');
      const password = setting('MONGO_INITDB_ROOT_PASSWORD', 'MONGODB_INITDB_ROOT_PASSWORD') ?? '';
      const database = setting('MONGO_INITDB_DATABASE', 'MONGODB_INITDB_DATABASE') ?? 'test';
      const account = user === undefined ? '' : `${user}:${password}@`;
      const uri = `mongodb://${account}${host}:27017/${database}${account === '' ? '' : '?authSource=admin'}`;
      // Spring Boot 4 reads the second name.
      return { SPRING_DATA_MONGODB_URI: uri, SPRING_MONGODB_URI: uri };
    },
  },
  {
    images: /^rabbitmq$/,
    connect: (host, setting) => ({
      SPRING_RABBITMQ_HOST: host,
      ...optional('SPRING_RABBITMQ_USERNAME', setting('RABBITMQ_DEFAULT_USER', 'RABBITMQ_USERNAME')),
      ...optional('SPRING_RABBITMQ_PASSWORD', setting('RABBITMQ_DEFAULT_PASS', 'RABBITMQ_PASSWORD')),
    }),
  },
  {
    images: /^(mailhog|mailpit|maildev)$/,
    connect: (host) => ({ SPRING_MAIL_HOST: host, SPRING_MAIL_PORT: '1025' }),
  },
];

/** Derives the connections from image and environment, as Spring Boot's own Docker Compose support does. */
export function springConnections(
  services: readonly (readonly [string, ComposedService])[],
  build: string,
): Connections {
  const connections = services.map(([name, service]) => ({
    name,
    environment: environmentFor(name, service, build),
  }));
  const count = Map.groupBy(
    connections.flatMap(({ environment = {} }) => Object.keys(environment)),
    (key) => key,
  );
  // If two services set the same variable, neither is a safe guess.
  const known = connections.flatMap(({ name, environment = {} }) =>
    Object.keys(environment).length > 0 &&
    Object.keys(environment).every((key) => count.get(key)?.length === 1)
      ? [{ name, environment }]
      : [],
  );
  const environment: Environment = Object.assign({}, ...known.map((one) => one.environment));
  const variables = Object.values(environment).flatMap((value) => [...value.matchAll(variable)]);
  const secret = (name: string) => /PASS|SECRET|TOKEN|KEY/i.test(name);
  const names = [...new Set(variables.map(([, name = '']) => name))];
  return {
    environment,
    known: known.map(({ name }) => name),
    unknown: connections.map(({ name }) => name).filter((name) => !known.some((one) => one.name === name)),
    secrets: names.filter(secret),
    variables: Object.fromEntries(
      names
        .filter((name) => !secret(name))
        .map((name) => [name, variables.find(([, one]) => one === name)?.[2] || 'perf']),
    ),
  };
}

/** `${NAME}`, with an optional default or error message for Compose. */
const variable = /\$\{([A-Za-z_]\w{0,80})(?::?-([^{}$]{0,80})|:?\?[^{}$]{0,80})?\}/g;

function environmentFor(name: string, service: ComposedService, build: string): Environment | undefined {
  const kind = kinds.find(({ images }) => images.test(imageName(service)));
  // Settings in an env file or in a command are not read here.
  if (kind === undefined || service.env_file || service.command.includes('requirepass')) return undefined;
  const setting: Setting = (...keys) => {
    const key = keys.find((one) => Object.hasOwn(service.environment, one));
    return key === undefined ? undefined : (service.environment[key] ?? `\${${key}}`);
  };
  const environment = kind.connect(name, setting, build);
  return environment !== undefined && Object.entries(environment).every(isPlain) ? environment : undefined;
}

/** True if neither an address nor Compose gives a character of the value a special meaning. */
function isPlain([key, value]: readonly [string, string]): boolean {
  const rest = value.replaceAll(variable, '');
  return key.endsWith('_URL') || key.endsWith('_URI') ? /^[\w.:/@?=-]*$/.test(rest) : !rest.includes('$');
}

/** Each driver refuses the other's URL scheme, so the build's only driver decides. */
function mentionsOnly(one: RegExp, other: RegExp, build: string): boolean {
  return one.test(build) && !other.test(build);
}

function mysql(scheme: string, host: string, setting: Setting, build: string): Environment | undefined {
  const database = setting('MARIADB_DATABASE', 'MYSQL_DATABASE');
  if (database === undefined) return undefined;
  const user = setting('MARIADB_USER', 'MYSQL_USER');
  const password =
    user === undefined
      ? setting('MARIADB_ROOT_PASSWORD', 'MYSQL_ROOT_PASSWORD')
      : setting('MARIADB_PASSWORD', 'MYSQL_PASSWORD');
  return sql(scheme, `${host}:3306/${database}`, user ?? 'root', password, build);
}

function sql(
  scheme: string,
  address: string,
  user: string,
  password: string | undefined,
  build: string,
): Environment {
  const reactive = build.includes('r2dbc');
  return {
    SPRING_DATASOURCE_URL: `jdbc:${scheme}://${address}`,
    SPRING_DATASOURCE_USERNAME: user,
    ...optional('SPRING_DATASOURCE_PASSWORD', password),
    ...poolTimeout,
    ...(reactive
      ? {
          SPRING_R2DBC_URL: `r2dbc:${scheme}://${address}`,
          SPRING_R2DBC_USERNAME: user,
          ...optional('SPRING_R2DBC_PASSWORD', password),
        }
      : {}),
  };
}

function optional(key: string, value: string | undefined): Environment {
  return value === undefined ? {} : { [key]: value };
}
