export interface Instance {
  /** Such as `instance 2`. */
  readonly name: string;
  /** Scheme, host and port of what it answers, without a path. */
  readonly origin: string;
}

/**
 * No request is tried with another instance, so an instance that fails shows in the figures. Nothing is cut off either: how
 * long users wait is up to the load. An instance is lost once it refuses two connections in a row; whether it answers is no
 * matter, because a busy one may be slow.
 */
export function haproxyConfiguration(
  instances: readonly Instance[],
  protocol: string,
  port: number,
  statusPort: number,
): string {
  const servers = instances.map(
    ({ name, origin }) =>
      `  server ${serverOf(name)} ${new URL(origin).host} check inter 500ms fall 2 rise 1`,
  );
  return [
    'defaults',
    '  timeout connect 10s',
    '  timeout client 10m',
    '  timeout server 10m',
    '  retries 1',
    'listen service',
    // Encrypted requests cannot be told apart, so each connection takes its turn instead.
    `  mode ${protocol === 'https:' ? 'tcp' : 'http'}`,
    `  bind 127.0.0.1:${port}`,
    '  balance roundrobin',
    ...servers,
    'listen status',
    '  mode http',
    `  bind 127.0.0.1:${statusPort}`,
    '  stats enable',
    '  stats uri /',
    '',
  ].join('\n');
}

/** HAProxy's names have no spaces. */
function serverOf(name: string): string {
  return name.replaceAll(' ', '-');
}

/**
 * The instances that HAProxy sends no requests now, or did not for a while.
 *
 * @param text its statistics as CSV: `# pxname,svname,...`, one line per server
 */
export function lostInstances(
  text: string,
  instances: readonly Instance[],
): readonly (Instance & { readonly state: string })[] {
  const [head = '', ...lines] = text.split('\n');
  const columns = head.replace(/^# /, '').split(',');
  const rows = lines.map((line) => {
    const fields = line.split(',');
    return new Map(columns.map((column, index) => [column, fields[index] ?? '']));
  });
  return instances.flatMap((instance) => {
    const row = rows.find(
      (one) => one.get('pxname') === 'service' && one.get('svname') === serverOf(instance.name),
    );
    const status = row?.get('status') ?? 'unknown';
    const ends = Number(row?.get('chkdown') ?? 0);
    if (status.startsWith('UP') && ends === 0) return [];
    const seconds = Number(row?.get('downtime') ?? 0);
    const check = row?.get('check_status') ?? '';
    const now = status.startsWith('UP') ? 'it takes connections again' : `it is ${status}`;
    return [
      {
        ...instance,
        state: `${now}, after ${seconds} s without${check === '' ? '' : `, last check ${check}`}`,
      },
    ];
  });
}
