import { type ComposedService, publishedPorts } from './compose-text.ts';

/** Databases, caches, brokers and other backing services, by the last part of the image's name. */
const backingImages =
  /^(mariadb|mysql|percona|postgres(ql)?|postgis|pgvector|pgbouncer|timescaledb(-ha)?|cockroach|oracle-(free|xe)|mssql-server.*|azure-sql-edge|mongo(db)?|mongodb-community-server|couchbase|couchdb|redis(-stack(-server)?)?|valkey|keydb|memcached|dragonfly|hazelcast|.*kafka|redpanda|.*schema-registry|.*zookeeper|rabbitmq|nats|pulsar|activemq.*|artemis|elasticsearch|opensearch|solr|meilisearch|typesense|qdrant|weaviate|minio|localstack|dynamodb-local|azurite|fake-gcs-server|cassandra|scylla|clickhouse.*|neo4j|influxdb|etcd|consul|vault|keycloak|openldap|mailhog|mailpit|maildev|greenmail|smtp4dev|wiremock|mockserver)$/;
/** Databases that an embedded one can stand for. */
const databaseImages = /^(mariadb|mysql|percona|postgres(ql)?|oracle-(free|xe)|mssql-server.*)$/;
/** Monitoring, proxies, consoles and one-time tasks: no service sends them requests. */
const auxiliaryImages =
  /^(kibana|logstash|filebeat|fluentd|fluent-bit|prometheus|alertmanager|grafana|loki|promtail|tempo|otel-lgtm|telegraf|jaeger|all-in-one|zipkin|.*otel.*|opentelemetry-collector.*|.*-?exporter|cadvisor|adminer|phpmyadmin|pgadmin4?|mongo-express|redisinsight|redis-commander|kafka-ui|akhq|kafdrop|kafka-console|traefik|haproxy|envoy|caddy|nginx|flyway|liquibase|busybox)$/;
/** Well-known ports identify a backing service even if its image has another name. */
const backingPorts = new Set([
  1433, 1521, 2181, 3306, 4222, 5432, 5672, 6379, 7687, 8529, 9042, 9092, 9200, 11211, 27017, 61616,
]);

/** True for a backing service or a tool, which cannot be the service to measure. */
export function isBacking(service: ComposedService): boolean {
  return service.build === undefined && (isNeeded(service) || auxiliaryImages.test(imageName(service)));
}

/** True for a server of a relational database. */
export function isDatabase(service: ComposedService): boolean {
  return service.build === undefined && databaseImages.test(imageName(service));
}

/** True for a backing service that the measured service depends on. */
export function isNeeded(service: ComposedService): boolean {
  return (
    backingImages.test(imageName(service)) || publishedPorts(service).some((port) => backingPorts.has(port))
  );
}

/** Drops the registry, the owner, the tag and the digest, because copies of an image differ in them. */
export function imageName({ image = '' }: ComposedService): string {
  const name = image.split('/').at(-1)?.split(/[:@]/)[0] ?? '';
  return name === 'server' && image.includes('mssql/') ? 'mssql-server' : name;
}
