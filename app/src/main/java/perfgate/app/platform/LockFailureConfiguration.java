package perfgate.app.platform;

import java.sql.SQLException;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.dao.CannotAcquireLockException;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.support.SQLExceptionSubclassTranslator;
import org.springframework.jdbc.support.SQLExceptionTranslator;
import org.springframework.resilience.annotation.EnableResilientMethods;

@Configuration(proxyBeanMethods = false)
@EnableResilientMethods
class LockFailureConfiguration {

    /** ER_AUTOINC_READ_FAILED, a transaction that waited for a table's next id, and ER_LOCK_WAIT_TIMEOUT. */
    private static final Set<Integer> LOCK_FAILURES = Set.of(1467, 1205);

    @Bean
    SQLExceptionTranslator translateLockFailures() {
        return new SQLExceptionSubclassTranslator() {
            @Override
            protected @Nullable DataAccessException doTranslate(String task, @Nullable String sql, SQLException e) {
                return LOCK_FAILURES.contains(e.getErrorCode())
                        ? new CannotAcquireLockException(buildMessage(task, sql, e), e)
                        : super.doTranslate(task, sql, e);
            }
        };
    }
}
