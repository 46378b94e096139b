package perfgate.app.platform;

import io.lettuce.core.ClientOptions.DisconnectedBehavior;
import io.lettuce.core.resource.Delay;
import java.time.Duration;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.data.redis.autoconfigure.ClientResourcesBuilderCustomizer;
import org.springframework.boot.data.redis.autoconfigure.LettuceClientOptionsBuilderCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;

@Configuration(proxyBeanMethods = false)
class RedisConfiguration {

    private static final Duration RECONNECT_DELAY = Duration.ofMillis(500);

    /** While Redis is away a command fails at once; by default each would wait for its own timeout in a queue. */
    @Bean
    LettuceClientOptionsBuilderCustomizer rejectCommandsWhenDisconnected() {
        return options -> options.disconnectedBehavior(DisconnectedBehavior.REJECT_COMMANDS);
    }

    /** By default the pause between attempts doubles up to 30 s, which is how long Redis would be back unnoticed. */
    @Bean
    ClientResourcesBuilderCustomizer reconnectSteadily() {
        return resources -> resources.reconnectDelay(Delay.constant(RECONNECT_DELAY));
    }

    /** Redis connects on first use otherwise: a wrong address has to end the boot, as it does for the database. */
    @Bean
    SmartInitializingSingleton redisAnswersAtBoot(RedisConnectionFactory redis) {
        return () -> {
            try (RedisConnection connection = redis.getConnection()) {
                connection.ping();
            }
        };
    }
}
