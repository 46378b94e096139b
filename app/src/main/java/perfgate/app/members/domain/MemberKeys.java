package perfgate.app.members.domain;

import java.util.Locale;
import java.util.Optional;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.stereotype.Component;

/** Caches each member's id by e-mail in Redis, so that a sign-in reads the database by primary key only. */
@Component
class MemberKeys {

    private final StringRedisTemplate redis;
    private final MemberRepository members;
    private final MembersProperties properties;

    MemberKeys(StringRedisTemplate redis, MemberRepository members, MembersProperties properties) {
        this.redis = redis;
        this.members = members;
        this.properties = properties;
    }

    Optional<Long> idOf(String email) {
        // The database ignores case when it compares e-mails, so the key must ignore it too.
        String key = "member:key:" + email.toLowerCase(Locale.ROOT);
        String cached = redis.opsForValue().get(key);
        if (cached != null) {
            return Optional.of(Long.valueOf(cached));
        }
        Optional<Long> id = members.idOf(email);
        id.ifPresent(found -> redis.opsForValue().set(key, Long.toString(found), properties.keyTtl()));
        return id;
    }
}
