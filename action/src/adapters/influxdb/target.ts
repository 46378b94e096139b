import { Fault } from '../../model/fault.ts';
import type { InfluxdbConfig } from '../../model/output-config.ts';
import { Secrets } from '../host/index.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Where to write, and with which rights. */
export interface InfluxdbTarget {
  /** The write endpoint, without its query. */
  readonly place: string;
  readonly url: string;
  /** The database or bucket. */
  readonly name: string;
  /** Value of the Authorization header; undefined to write as nobody. */
  readonly authorization: string | undefined;
  /** Masks what must not be shown. */
  readonly secrets: Secrets;
}

const variable = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

/** Names of the variables that hold the token or the password. */
export function secretVariables({ token = '', password = '' }: InfluxdbConfig): readonly string[] {
  return [...`${token}${password}`.matchAll(variable)].map(([, name = '']) => name);
}

/**
 * The target that an entry of gate.yml describes. Returns the name of a variable that is empty, as secrets are in the
 * workflows of forks. Throws a Fault for one that does not exist.
 */
export function openInfluxdb(
  config: InfluxdbConfig,
  env: Environment,
  place: string,
): InfluxdbTarget | { readonly empty: string } {
  let empty: string | undefined;
  const expanded = Object.fromEntries(
    Object.entries(config).map(([key, text]) => [
      key,
      text?.replace(variable, (_, name: string) => {
        const value = env[name]?.trim();
        if (value === undefined) throw unknownVariable(name, `${place}${key}`);
        if (value === '') empty ??= name;
        return value;
      }),
    ]),
  ) as InfluxdbConfig;
  return empty === undefined ? influxdbTarget(expanded, place) : { empty };
}

function unknownVariable(name: string, place: string): Fault {
  return new Fault({
    code: 'E_CONFIG_VARIABLE',
    kind: 'usage',
    place,
    cause: `the variable ${name} does not exist`,
    nextStep: `set ${name} in the environment; if it is empty, nothing is written there`,
  });
}

/** The target of settings without variables. `place` and their key name them in faults. */
export function influxdbTarget(settings: InfluxdbConfig, place: string): InfluxdbTarget {
  const { url, database, bucket, org, token, username, password } = settings;
  const address = URL.parse(url);
  const plain = address !== null && `${address.username}${address.password}${address.search}` === '';
  if (!plain || !['http:', 'https:'].includes(address.protocol)) {
    throw wrong(`${place}url`, 'expected the address of a server, without user, password and query');
  }
  if (token !== undefined && !/^[\x21-\x7e]*$/.test(token)) {
    throw wrong(`${place}token`, 'expected a token without spaces and line breaks');
  }
  const secrets = new Secrets();
  const login =
    username === undefined ? undefined : Buffer.from(`${username}:${password}`).toString('base64');
  for (const secret of [token, password, login]) secrets.add(secret ?? '');
  const path = `${address.origin}${address.pathname.replace(/\/+$/, '')}`;
  const [endpoint, query] =
    bucket === undefined
      ? ['/write', { db: database ?? '' }]
      : ['/api/v2/write', { ...(org === undefined ? {} : { org }), bucket }];
  return {
    place: `${path}${endpoint}`,
    url: `${path}${endpoint}?${new URLSearchParams({ ...query, precision: 'ms' })}`,
    name: bucket ?? database ?? '',
    authorization: login !== undefined ? `Basic ${login}` : token ? `Token ${token}` : undefined,
    secrets,
  };
}

function wrong(place: string, cause: string): Fault {
  return new Fault({
    code: 'E_OUTPUT_SETTING',
    kind: 'usage',
    place,
    cause,
    nextStep: 'correct it, or the variable that it comes from',
  });
}
