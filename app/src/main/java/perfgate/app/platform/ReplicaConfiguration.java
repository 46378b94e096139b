package perfgate.app.platform;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.condition.ConditionalOnExpression;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Adds a pool for the replica. The replica's statements are those of {@link ReplicaRead}, all others are the primary's. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnExpression("environment.getProperty('perf-gate.replica.url') != ''")
class ReplicaConfiguration {

    /** Not a default candidate, so that it replaces the primary nowhere. Metrics and health find it by its type. */
    @Bean(defaultCandidate = false)
    HikariDataSource replica(
            DataSource dataSource,
            @Value("${perf-gate.replica.url}") String url,
            @Value("${perf-gate.replica.pool-size}") int size)
            throws SQLException {
        HikariDataSource primary = dataSource.unwrap(HikariDataSource.class);
        HikariConfig config = new HikariConfig();
        primary.copyStateTo(config);
        config.setPoolName("replica");
        config.setJdbcUrl(url);
        config.setMaximumPoolSize(size);
        config.setMinimumIdle(size);
        HikariDataSource replica = new HikariDataSource(config);
        dataSource.unwrap(LazyConnectionDataSourceProxy.class).setTargetDataSource(new Routing(primary, replica));
        return replica;
    }

    /** The lazy proxy asks for a connection at the first statement, when it is known what the statement belongs to. */
    private static final class Routing extends DelegatingDataSource {

        private final DataSource replica;

        Routing(DataSource primary, DataSource replica) {
            super(primary);
            this.replica = replica;
        }

        /** A read-only transaction is not a {@link ReplicaRead}: the outbox's have to see what it wrote. */
        @Override
        protected DataSource obtainTargetDataSource() {
            return TransactionSynchronizationManager.isCurrentTransactionReadOnly()
                            && !TransactionSynchronizationManager.isActualTransactionActive()
                    ? replica
                    : super.obtainTargetDataSource();
        }
    }
}
