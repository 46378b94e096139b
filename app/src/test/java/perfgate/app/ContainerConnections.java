package perfgate.app;

import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.boot.testcontainers.service.connection.ServiceConnection;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Condition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.Conditional;
import org.springframework.core.type.AnnotatedTypeMetadata;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.JdbcDatabaseContainer;
import org.testcontainers.kafka.KafkaContainer;

/** Connects an application context to the containers, if the tests run on containers. */
@TestConfiguration(proxyBeanMethods = false)
@Conditional(ContainerConnections.OnContainers.class)
class ContainerConnections {

    @Bean
    @ServiceConnection
    JdbcDatabaseContainer<?> database() {
        return containers().database();
    }

    @Bean
    @ServiceConnection("redis")
    GenericContainer<?> redisServer() {
        return containers().redis();
    }

    @Bean
    @ServiceConnection
    KafkaContainer kafka() {
        return containers().kafka();
    }

    private static ContainerServices containers() {
        return (ContainerServices) Services.running();
    }

    static class OnContainers implements Condition {

        @Override
        public boolean matches(ConditionContext context, AnnotatedTypeMetadata metadata) {
            return Services.running() instanceof ContainerServices;
        }
    }
}
