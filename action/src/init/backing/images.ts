import { type ComposedService, publishedPorts } from './compose-text.ts';

/** Databases, caches, brokers and the like, by the last part of the image's name. */
const neededImages =
  /^(mariadb|mysql|percona|postgres(ql)?|postgis|pgvector|pgbouncer|timescaledb(-ha)?|cockroach|oracle-(free|xe)|mssql-server.*|azure-sql-edge|mongo(db)?|mongodb-community-server|couchbase|couchdb|redis(-stack(-server)?)?|valkey|keydb|memcached|dragonfly|hazelcast|.*kafka|redpanda|.*schema-registry|.*zookeeper|rabbitmq|nats|pulsar|activemq.*|artemis|elasticsearch|opensearch|solr|meilisearch|typesense|qdrant|weaviate|minio|localstack|dynamodb-local|azurite|fake-gcs-server|cassandra|scylla|clickhouse.*|neo4j|influxdb|etcd|consul|vault|keycloak|openldap|mailhog|mailpit|maildev|greenmail|smtp4dev|wiremock|mockserver)$/;
/** What looks on, stands before a service, or prepares something and ends: no service asks it for anything. */
const besideImages =
  /^(kibana|logstash|filebeat|fluentd|fluent-bit|prometheus|alertmanager|grafana|loki|promtail|tempo|otel-lgtm|telegraf|jaeger|all-in-one|zipkin|.*otel.*|opentelemetry-collector.*|.*-?exporter|cadvisor|adminer|phpmyadmin|pgadmin4?|mongo-express|redisinsight|redis-commander|kafka-ui|akhq|kafdrop|kafka-console|traefik|haproxy|envoy|caddy|nginx|flyway|liquibase|busybox)$/;
/** Whatever the image is called, such as one of a company's own. */
const neededPorts = new Set([
  1433, 1521, 2181, 3306, 4222, 5432, 5672, 6379, 7687, 8529, 9042, 9092, 9200, 11211, 27017, 61616,
]);

/** True for what stands around a service rather than being one. */
export function isBacking(service: ComposedService): boolean {
  return service.build === undefined && (isNeeded(service) || besideImages.test(imageName(service)));
}

/** True for what a service asks for its data. */
export function isNeeded(service: ComposedService): boolean {
  return (
    neededImages.test(imageName(service)) || publishedPorts(service).some((port) => neededPorts.has(port))
  );
}

/** Without registry, owner, tag and digest. */
export function imageName({ image = '' }: ComposedService): string {
  const name = image.split('/').at(-1)?.split(/[:@]/)[0] ?? '';
  return name === 'server' && image.includes('mssql/') ? 'mssql-server' : name;
}
