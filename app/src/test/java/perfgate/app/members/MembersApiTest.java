package perfgate.app.members;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.test.web.servlet.client.RestTestClient.ResponseSpec;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;
import perfgate.app.ServiceTest;
import perfgate.app.ticketing.AccessToken;
import perfgate.app.ticketing.Buyer;
import perfgate.app.ticketing.Fan;

class MembersApiTest extends ServiceTest {

    private static final Set<Class<?>> CALLERS = Set.of(MemberId.class, AccessToken.class, Fan.class, Buyer.class);

    @Autowired
    @Qualifier("requestMappingHandlerMapping")
    private RequestMappingHandlerMapping handlers;

    @Test
    void signsInAndTheTokenGivesAccess() {
        Member member = newMember();

        Session session = login(member.email(), PASSWORD)
                .expectStatus()
                .isOk()
                .expectBody(Session.class)
                .returnResult()
                .getResponseBody();

        assertThat(session.memberId()).isEqualTo(member.id());
        assertThat(session.expiresInSeconds()).isEqualTo(1800);
        assertThat(session.token()).matches("[A-Za-z0-9_-]{24}");
        assertThat(redis.opsForValue().get("token:" + session.token())).isEqualTo(Long.toString(member.id()));
        withToken(session.token()).get().uri("/trips").exchange().expectStatus().isOk();
    }

    @Test
    void everyTokenIsNew() {
        Member member = newMember();
        Set<String> tokens = new HashSet<>();

        for (int i = 0; i < 20; i++) {
            tokens.add(signIn(member).token());
        }

        assertThat(tokens).hasSize(20);
    }

    @Test
    void aWrongPasswordAndAnUnknownEmailGetTheSameAnswer() {
        Member member = newMember();

        String wrong = body(login(member.email(), "wrong"));
        String unknown = body(login("nobody@example.com", PASSWORD));

        assertThat(unknown).isEqualTo(wrong).contains("/problems/bad-credentials");
        login(member.email(), "wrong")
                .expectStatus()
                .isUnauthorized()
                .expectHeader()
                .contentType(MediaType.APPLICATION_PROBLEM_JSON);
    }

    @Test
    void aLongPasswordIsWrongCredentials() {
        expectProblem(login(newMember().email(), "ä".repeat(100)), 401, "bad-credentials");
    }

    @Test
    void anUnknownEmailWritesNoKey() {
        login("nobody@example.com", PASSWORD).expectStatus().isUnauthorized();

        assertThat(redis.hasKey("member:key:nobody@example.com")).isFalse();
    }

    @Test
    void writesAMissingKeyWithALifetime() {
        Member member = newMember();
        String key = "member:key:" + member.email();

        login(member.email(), PASSWORD).expectStatus().isOk();

        assertThat(redis.opsForValue().get(key)).isEqualTo(Long.toString(member.id()));
        assertThat(redis.getExpire(key)).isBetween(1L, 3600L);
    }

    @Test
    void usesAnExistingKey() {
        Member member = newMember();
        redis.opsForValue().set("member:key:alias@example.com", Long.toString(member.id()));

        login("alias@example.com", PASSWORD)
                .expectStatus()
                .isOk()
                .expectBody()
                .jsonPath("$.memberId")
                .isEqualTo(member.id());
    }

    @Test
    void theCaseOfAnEmailDoesNotMatter() {
        Member member = newMember();

        login(member.email().toUpperCase(Locale.ROOT), PASSWORD).expectStatus().isOk();

        assertThat(redis.hasKey("member:key:" + member.email())).isTrue();
    }

    @Test
    void aTokenExpires() {
        Caller caller = newCaller();
        String key = "token:" + caller.token();
        assertThat(redis.getExpire(key)).isBetween(1790L, 1800L);

        redis.expire(key, Duration.ofMillis(50));

        await().until(() -> !redis.hasKey(key));
        expectProblem(caller.get("/trips"), 401, "token-unknown");
    }

    @Test
    void signingOutEndsTheSessionOfThatTokenOnly() {
        Member member = newMember();
        Caller phone = signIn(member);
        Caller laptop = signIn(member);

        phone.post("/members/logout", "").expectStatus().isNoContent();

        expectProblem(phone.get("/trips"), 401, "token-unknown");
        laptop.get("/trips").expectStatus().isOk();
        expectProblem(phone.post("/members/logout", ""), 401, "token-unknown");
        expectProblem(anonymous.post().uri("/members/logout").exchange(), 401, "token-missing");
    }

    static Stream<String> invalidAuthorizations() {
        return Stream.of("Bearer", "Basic dXNlcjpwYXNz", "Token abc", "");
    }

    @ParameterizedTest
    @MethodSource("invalidAuthorizations")
    void rejectsEverythingExceptABearerToken(String authorization) {
        ResponseSpec response = anonymous
                .get()
                .uri("/trips")
                .header(HttpHeaders.AUTHORIZATION, authorization)
                .exchange();

        response.expectHeader().valueEquals(HttpHeaders.WWW_AUTHENTICATE, "Bearer");
        expectProblem(response, 401, "token-missing");
    }

    @Test
    void theSchemeIsCaseInsensitive() {
        anonymous
                .get()
                .uri("/trips")
                .header(HttpHeaders.AUTHORIZATION, "bearer " + newCaller().token())
                .exchange()
                .expectStatus()
                .isOk();
    }

    @Test
    void authenticatesTheCallerBeforeValidatingTheRequest() {
        ResponseSpec response = anonymous
                .post()
                .uri("/trips")
                .contentType(MediaType.APPLICATION_JSON)
                .body("{")
                .exchange();

        expectProblem(response, 401, "token-missing");
    }

    @Test
    void everyOtherHandlerResolvesItsCallerFirst() {
        var open = handlers.getHandlerMethods().values().stream()
                .filter(handler -> handler.getBeanType().getPackageName().startsWith("perfgate"))
                .filter(handler -> Arrays.stream(handler.getMethod().getParameterTypes())
                        .limit(1)
                        .noneMatch(CALLERS::contains))
                .map(HandlerMethod::getMethod)
                .map(Method::getName)
                .toList();

        assertThat(open).containsExactlyInAnyOrder("login", "logout", "random");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
                    {"email": "", "password": "x"}                    | email
                    {"email": "no-address", "password": "x"}          | email
                    {"email": "mü@example.com", "password": "x"}      | email
                    {"password": "x"}                                 | email
                    {"email": "a@example.com"}                        | password
                    {"email": "a@example.com", "password": ""}        | password
                    {"email": ["a@example.com"], "password": "x"}     | email
                    {}                                                | email password
                    """)
    void listsTheInvalidFieldsOfALogin(String json, String fields) {
        ResponseSpec response = anonymous
                .post()
                .uri("/members/login")
                .contentType(MediaType.APPLICATION_JSON)
                .body(json)
                .exchange();

        expectProblem(response, 400, "invalid-request", fields.split(" "));
    }

    @Test
    void rejectsOverlongCredentials() {
        expectProblem(login("a".repeat(60) + "@" + "b".repeat(50) + ".com", "x"), 400, "invalid-request", "email");
        expectProblem(login("a@example.com", "x".repeat(101)), 400, "invalid-request", "password");
    }

    private static String body(ResponseSpec response) {
        return new String(response.expectBody().returnResult().getResponseBodyContent());
    }
}
