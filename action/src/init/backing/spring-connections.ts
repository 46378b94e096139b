import type { ComposedService } from './compose-text.ts';
import { imageName } from './images.ts';

/** How a Spring Boot service reaches what a compose file starts, in the network of that file. */
export interface Connections {
  readonly environment: Readonly<Record<string, string>>;
  /** Names of the services that it reaches so. */
  readonly known: readonly string[];
  readonly unknown: readonly string[];
  /** Variables of the compose file that are any text of the gate's choice, new in each run. */
  readonly secrets: readonly string[];
  /** Other variables of it, with what they are by default. */
  readonly variables: Readonly<Record<string, string>>;
}

type Environment = Readonly<Record<string, string>>;
/** Value of the first of these variables that the service is given. */
type Setting = (...names: readonly string[]) => string | undefined;

interface Kind {
  readonly images: RegExp;
  /** What Spring Boot is told; undefined if the service does not say enough. */
  readonly tell: (host: string, of: Setting, build: string) => Environment | undefined;
}

/** A database of a container takes connections seconds after its start, and without this the pool gives up at once. */
const patience = { SPRING_DATASOURCE_HIKARI_INITIALIZATIONFAILTIMEOUT: '60000' };

const kinds: readonly Kind[] = [
  {
    images: /^(postgres(ql)?|postgis|pgvector|timescaledb(-ha)?)$/,
    tell: (host, of, build) => {
      const user = of('POSTGRES_USER', 'POSTGRESQL_USER', 'POSTGRESQL_USERNAME') ?? 'postgres';
      const database = of('POSTGRES_DB', 'POSTGRESQL_DB', 'POSTGRESQL_DATABASE') ?? user;
      const password = of('POSTGRES_PASSWORD', 'POSTGRESQL_PASSWORD');
      return sql('postgresql', `${host}:5432/${database}`, user, password, build);
    },
  },
  {
    images: /^mariadb$/,
    tell: (host, of, build) =>
      mysql(isOnly(/mysql-connector/, /mariadb-java/, build) ? 'mysql' : 'mariadb', host, of, build),
  },
  {
    images: /^mysql$/,
    tell: (host, of, build) =>
      mysql(isOnly(/mariadb-java/, /mysql-connector/, build) ? 'mariadb' : 'mysql', host, of, build),
  },
  {
    images: /^(redis(-stack(-server)?)?|valkey)$/,
    tell: (host, of) => ({
      SPRING_DATA_REDIS_HOST: host,
      SPRING_DATA_REDIS_PORT: '6379',
      ...given('SPRING_DATA_REDIS_PASSWORD', of('REDIS_PASSWORD', 'VALKEY_PASSWORD')),
    }),
  },
  {
    images: /^(mongo(db)?|mongodb-community-server)$/,
    tell: (host, of) => {
      const user = of('MONGO_INITDB_ROOT_USERNAME', 'MONGODB_INITDB_ROOT_USERNAME');
      const password = of('MONGO_INITDB_ROOT_PASSWORD', 'MONGODB_INITDB_ROOT_PASSWORD') ?? '';
      const database = of('MONGO_INITDB_DATABASE', 'MONGODB_INITDB_DATABASE') ?? 'test';
      const account = user === undefined ? '' : `${user}:${password}@`;
      const uri = `mongodb://${account}${host}:27017/${database}${account === '' ? '' : '?authSource=admin'}`;
      // The second is the name since Spring Boot 4.
      return { SPRING_DATA_MONGODB_URI: uri, SPRING_MONGODB_URI: uri };
    },
  },
  {
    images: /^rabbitmq$/,
    tell: (host, of) => ({
      SPRING_RABBITMQ_HOST: host,
      ...given('SPRING_RABBITMQ_USERNAME', of('RABBITMQ_DEFAULT_USER', 'RABBITMQ_USERNAME')),
      ...given('SPRING_RABBITMQ_PASSWORD', of('RABBITMQ_DEFAULT_PASS', 'RABBITMQ_PASSWORD')),
    }),
  },
  {
    images: /^(mailhog|mailpit|maildev)$/,
    tell: (host) => ({ SPRING_MAIL_HOST: host, SPRING_MAIL_PORT: '1025' }),
  },
];

/** Told by image and environment, as Spring Boot's own support of Docker Compose does. */
export function springConnections(
  services: readonly (readonly [string, ComposedService])[],
  build: string,
): Connections {
  const told = services.map(([name, service]) => ({ name, environment: tell(name, service, build) }));
  const count = Map.groupBy(
    told.flatMap(({ environment = {} }) => Object.keys(environment)),
    (key) => key,
  );
  // Two databases are not guessed between.
  const known = told.flatMap(({ name, environment = {} }) =>
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
    unknown: told.map(({ name }) => name).filter((name) => !known.some((one) => one.name === name)),
    secrets: names.filter(secret),
    variables: Object.fromEntries(
      names
        .filter((name) => !secret(name))
        .map((name) => [name, variables.find(([, one]) => one === name)?.[2] || 'perf']),
    ),
  };
}

/** `${NAME}`, with what Compose takes where it is not set, or with what it then says. */
const variable = /\$\{([A-Za-z_]\w{0,80})(?::?-([^{}$]{0,80})|:?\?[^{}$]{0,80})?\}/g;

function tell(name: string, service: ComposedService, build: string): Environment | undefined {
  const kind = kinds.find(({ images }) => images.test(imageName(service)));
  // What stands in a file of its own, or in a command, is not read here.
  if (kind === undefined || service.env_file || service.command.includes('requirepass')) return undefined;
  const of: Setting = (...keys) => {
    const key = keys.find((one) => Object.hasOwn(service.environment, one));
    return key === undefined ? undefined : (service.environment[key] ?? `\${${key}}`);
  };
  const environment = kind.tell(name, of, build);
  return environment !== undefined && Object.entries(environment).every(isPlain) ? environment : undefined;
}

/** A value with nothing that means something else within an address, or to Compose. */
function isPlain([key, value]: readonly [string, string]): boolean {
  const rest = value.replaceAll(variable, '');
  return key.endsWith('_URL') || key.endsWith('_URI') ? /^[\w.:/@?=-]*$/.test(rest) : !rest.includes('$');
}

/** A driver refuses addresses of the other, though it would reach its server. */
function isOnly(one: RegExp, other: RegExp, build: string): boolean {
  return one.test(build) && !other.test(build);
}

function mysql(scheme: string, host: string, of: Setting, build: string): Environment | undefined {
  const database = of('MARIADB_DATABASE', 'MYSQL_DATABASE');
  if (database === undefined) return undefined;
  const user = of('MARIADB_USER', 'MYSQL_USER');
  const password =
    user === undefined
      ? of('MARIADB_ROOT_PASSWORD', 'MYSQL_ROOT_PASSWORD')
      : of('MARIADB_PASSWORD', 'MYSQL_PASSWORD');
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
    ...given('SPRING_DATASOURCE_PASSWORD', password),
    ...patience,
    ...(reactive
      ? {
          SPRING_R2DBC_URL: `r2dbc:${scheme}://${address}`,
          SPRING_R2DBC_USERNAME: user,
          ...given('SPRING_R2DBC_PASSWORD', password),
        }
      : {}),
  };
}

function given(key: string, value: string | undefined): Environment {
  return value === undefined ? {} : { [key]: value };
}
