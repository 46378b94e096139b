package perfgate.app.members.domain;

import java.security.SecureRandom;
import java.util.Base64;
import java.util.Optional;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.stereotype.Component;
import perfgate.app.members.MemberId;

/** Bearer tokens of 144 random bits, which Redis stores until they expire. */
@Component
class Tokens {

    private static final int BYTES = 18;

    private final SecureRandom random = new SecureRandom();
    private final StringRedisTemplate redis;
    private final MembersProperties properties;

    Tokens(StringRedisTemplate redis, MembersProperties properties) {
        this.redis = redis;
        this.properties = properties;
    }

    String issue(long memberId) {
        byte[] bytes = new byte[BYTES];
        random.nextBytes(bytes);
        String token = Base64.getUrlEncoder().encodeToString(bytes);
        redis.opsForValue().set(key(token), Long.toString(memberId), properties.tokenTtl());
        return token;
    }

    Optional<MemberId> memberOf(String token) {
        String id = redis.opsForValue().get(key(token));
        return id == null ? Optional.empty() : Optional.of(new MemberId(Long.parseLong(id)));
    }

    boolean revoke(String token) {
        return Boolean.TRUE.equals(redis.delete(key(token)));
    }

    private static String key(String token) {
        return "token:" + token;
    }
}
