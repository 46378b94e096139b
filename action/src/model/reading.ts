/** How a reading is drawn and written: a share of the machine 0 to 1, bytes, milliseconds, or a plain number. */
export type ReadingUnit = 'share' | 'bytes' | 'ms' | 'ms/s' | '/s' | '';

/** Readings with one unit and one group share a chart. */
export const readingGroups = {
  cpu: 'CPU of the machine',
  load: 'Load of the machine',
  memory: 'Memory',
  heap: 'Heap after and between collections',
  collections: 'Garbage collections',
  pauses: 'Time in garbage collection',
  pool: 'Connections of the pool',
  acquire: 'Wait for a connection',
  threads: 'Worker threads',
  jvmThreads: 'Threads by state',
  files: 'Open files and sockets',
  serviceTime: 'Response time as the service counts it',
  statements: 'SQL statements',
  rows: 'Rows read',
  database: 'Slow statements and row-lock waits',
  redis: 'Redis commands',
  redisMemory: 'Redis memory',
  redisKeys: 'Redis keys',
  lag: 'Kafka lag',
} as const;
export type ReadingGroup = keyof typeof readingGroups;

export interface ReadingInfo {
  readonly title: string;
  readonly group: ReadingGroup;
  readonly unit: ReadingUnit;
}

/** Where a metric page has a reading, and how its value follows from the series. */
interface PageReading extends ReadingInfo {
  readonly from: 'service' | 'backing';
  /** Selectors as in gate.yml; what they match is added up. */
  readonly series: readonly string[];
  /** What is taken off, such as the part of a total that is not meant. */
  readonly less?: readonly string[];
  /** gauge: the value. rate: growth per second. mean: growth per growth of `per`, such as seconds per event. */
  readonly kind: 'gauge' | 'rate' | 'mean';
  readonly per?: readonly string[];
  readonly scale?: number;
}

const reading = (title: string, group: ReadingGroup, unit: ReadingUnit): ReadingInfo => ({
  title,
  group,
  unit,
});

/** Read from the machine itself. */
export const machineReadings = {
  serviceCpu: reading('service', 'cpu', 'share'),
  backingCpu: reading('backing services', 'cpu', 'share'),
  generatorCpu: reading('load generator', 'cpu', 'share'),
  othersCpu: reading('other programs', 'cpu', 'share'),
  stolenCpu: reading('stolen', 'cpu', 'share'),
  loadAverage: reading('load average, 1 minute', 'load', ''),
  serviceMemory: reading('service', 'memory', 'bytes'),
  backingMemory: reading('backing services', 'memory', 'bytes'),
  generatorMemory: reading('load generator', 'memory', 'bytes'),
} as const satisfies Readonly<Record<string, ReadingInfo>>;

const threadsIn = (state: string) =>
  ({
    ...reading(state, 'jvmThreads', ''),
    from: 'service',
    series: [`jvm_threads_states_threads{state="${state}"}`],
    kind: 'gauge',
  }) as const;

const handlers = ['first', 'key', 'last', 'next', 'prev', 'rnd', 'rnd_next'];

/**
 * Read from metric pages, where a page has them: Micrometer's names for JVM, Tomcat, Jetty, HikariCP and Kafka, and
 * those of mysqld_exporter and redis_exporter.
 */
export const pageReadings = {
  heap: {
    ...reading('used', 'heap', 'bytes'),
    from: 'service',
    series: ['jvm_memory_used_bytes{area="heap"}'],
    kind: 'gauge',
  },
  liveHeap: {
    ...reading('after the last collection', 'heap', 'bytes'),
    from: 'service',
    series: ['jvm_gc_live_data_size_bytes'],
    kind: 'gauge',
  },
  mostHeap: {
    ...reading('at most', 'heap', 'bytes'),
    from: 'service',
    series: ['jvm_memory_max_bytes{area="heap"}'],
    kind: 'gauge',
  },
  collections: {
    ...reading('collections', 'collections', '/s'),
    from: 'service',
    series: ['jvm_gc_pause_seconds_count'],
    kind: 'rate',
  },
  gcPause: {
    ...reading('pauses', 'pauses', 'ms/s'),
    from: 'service',
    series: ['jvm_gc_pause_seconds_sum'],
    kind: 'rate',
    scale: 1000,
  },
  poolActive: {
    ...reading('in use', 'pool', ''),
    from: 'service',
    series: ['hikaricp_connections_active'],
    kind: 'gauge',
  },
  mostConnections: {
    ...reading('at most', 'pool', ''),
    from: 'service',
    series: ['hikaricp_connections_max'],
    kind: 'gauge',
  },
  poolPending: {
    ...reading('requests that wait', 'pool', ''),
    from: 'service',
    series: ['hikaricp_connections_pending'],
    kind: 'gauge',
  },
  poolAcquire: {
    ...reading('mean wait', 'acquire', 'ms'),
    from: 'service',
    series: ['hikaricp_connections_acquire_seconds_sum'],
    kind: 'mean',
    per: ['hikaricp_connections_acquire_seconds_count'],
    scale: 1000,
  },
  busyThreads: {
    ...reading('busy', 'threads', ''),
    from: 'service',
    series: ['tomcat_threads_busy_threads', 'jetty_threads_busy'],
    kind: 'gauge',
  },
  liveThreads: {
    ...reading('all of the JVM', 'jvmThreads', ''),
    from: 'service',
    series: ['jvm_threads_live_threads'],
    kind: 'gauge',
  },
  runnableThreads: threadsIn('runnable'),
  blockedThreads: threadsIn('blocked'),
  waitingThreads: threadsIn('waiting'),
  timedWaitingThreads: threadsIn('timed-waiting'),
  openFiles: {
    ...reading('open', 'files', ''),
    from: 'service',
    series: ['process_files_open_files', 'process_open_fds'],
    kind: 'gauge',
  },
  mostThreads: {
    ...reading('at most', 'threads', ''),
    from: 'service',
    series: ['tomcat_threads_config_max_threads', 'jetty_threads_config_max'],
    kind: 'gauge',
  },
  serviceTime: {
    ...reading('mean', 'serviceTime', 'ms'),
    from: 'service',
    series: ['http_server_requests_seconds_sum'],
    kind: 'mean',
    per: ['http_server_requests_seconds_count'],
    scale: 1000,
  },
  kafkaLag: {
    ...reading('records behind', 'lag', ''),
    from: 'service',
    series: ['kafka_consumer_fetch_manager_records_lag_max'],
    kind: 'gauge',
  },
  statements: {
    ...reading('statements', 'statements', '/s'),
    from: 'backing',
    series: ['mysql_global_status_questions'],
    kind: 'rate',
  },
  rowsRead: {
    ...reading('rows', 'rows', '/s'),
    from: 'backing',
    series: handlers.map((handler) => `mysql_global_status_handlers_total{handler="read_${handler}"}`),
    kind: 'rate',
  },
  slowStatements: {
    ...reading('slow statements', 'database', '/s'),
    from: 'backing',
    series: ['mysql_global_status_slow_queries'],
    kind: 'rate',
  },
  rowLockWaits: {
    ...reading('waits for a row lock', 'database', '/s'),
    from: 'backing',
    series: ['mysql_global_status_innodb_row_lock_waits'],
    kind: 'rate',
  },
  redisCommands: {
    ...reading('commands', 'redis', '/s'),
    from: 'backing',
    series: ['redis_commands_processed_total'],
    kind: 'rate',
  },
  redisMemory: {
    ...reading('used', 'redisMemory', 'bytes'),
    from: 'backing',
    series: ['redis_memory_used_bytes'],
    kind: 'gauge',
  },
  redisExpiringKeys: {
    ...reading('with a lifetime', 'redisKeys', ''),
    from: 'backing',
    series: ['redis_db_keys_expiring'],
    kind: 'gauge',
  },
  redisLastingKeys: {
    ...reading('without a lifetime', 'redisKeys', ''),
    from: 'backing',
    series: ['redis_db_keys'],
    less: ['redis_db_keys_expiring'],
    kind: 'gauge',
  },
} as const satisfies Readonly<Record<string, PageReading>>;

export const readings = { ...machineReadings, ...pageReadings } as const;
export type ReadingName = keyof typeof readings;
