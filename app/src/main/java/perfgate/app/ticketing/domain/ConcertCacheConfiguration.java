package perfgate.app.ticketing.domain;

import java.util.List;
import org.springframework.boot.cache.autoconfigure.RedisCacheManagerBuilderCustomizer;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.cache.RedisCacheConfiguration;
import org.springframework.data.redis.serializer.JacksonJsonRedisSerializer;
import org.springframework.data.redis.serializer.RedisSerializationContext.SerializationPair;
import org.springframework.data.redis.serializer.RedisSerializer;
import perfgate.app.ticketing.Concert;
import tools.jackson.databind.json.JsonMapper;

@Configuration(proxyBeanMethods = false)
@EnableCaching
class ConcertCacheConfiguration {

    /** Stores JSON without class names, so that data in Redis cannot choose which classes are instantiated. */
    @Bean
    RedisCacheManagerBuilderCustomizer concertCache(JsonMapper json, TicketingProperties properties) {
        RedisSerializer<Object> concerts = new JacksonJsonRedisSerializer<>(
                json, json.getTypeFactory().constructCollectionType(List.class, Concert.class));
        RedisCacheConfiguration configuration = RedisCacheConfiguration.defaultCacheConfig()
                .entryTtl(properties.concertsTtl())
                .serializeValuesWith(SerializationPair.fromSerializer(concerts));
        return builder -> builder.withCacheConfiguration(ConcertRepository.CONCERTS, configuration);
    }
}
