package perfgate.app.trips;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.LocalDate;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.http.MediaType;
import org.springframework.test.web.servlet.client.RestTestClient.ResponseSpec;
import perfgate.app.Concurrently;
import perfgate.app.ServiceTest;

class TripsApiTest extends ServiceTest {

    private Caller caller;

    @BeforeEach
    void signIn() {
        caller = newCaller();
    }

    @Test
    void addsATripAndFindsIt() {
        ResponseSpec response = caller.post("/trips", trip("Lisbon", "2026-06-01", "2026-06-07"));

        Trip added = response.expectStatus()
                .isCreated()
                .expectBody(Trip.class)
                .returnResult()
                .getResponseBody();
        response.expectHeader().valueEquals(HttpHeaders.LOCATION, "/trips/" + added.id());
        assertThat(added)
                .isEqualTo(new Trip(
                        added.id(),
                        "Lisbon",
                        LocalDate.of(2026, 6, 1),
                        LocalDate.of(2026, 6, 7),
                        TripStatus.UPCOMING,
                        0));
        assertThat(find(added.id())).isEqualTo(added);
    }

    @Test
    void storesTheLongestTitleAndAnyCharacter() {
        String title = "🏝".repeat(50);

        assertThat(find(add(title, "2026-06-01", "2026-06-01").id()).title()).isEqualTo(title);
    }

    @ParameterizedTest
    @CsvSource({
        "2026-05-11, 2026-05-12, UPCOMING",
        "2026-05-10, 2026-05-12, ONGOING",
        "2026-05-10, 2026-05-10, ONGOING",
        "2026-05-01, 2026-05-10, ONGOING",
        "2026-05-01, 2026-05-09, COMPLETED"
    })
    void theStatusFollowsFromTheDates(String startDate, String endDate, TripStatus status) {
        Trip added = add("Trip", startDate, endDate);

        assertThat(added.status()).isEqualTo(status);
        assertThat(list("/trips").items()).extracting(TripSummary::status).containsExactly(status);
    }

    @Test
    void listsOnlyTheMembersTripsByStartDateAndId() {
        Trip late = add("Late", "2026-09-01", "2026-09-02");
        Trip early = add("Early", "2026-01-01", "2026-01-02");
        Trip earlyToo = add("Early too", "2026-01-01", "2026-01-05");
        newCaller()
                .post("/trips", trip("Somebody else's", "2026-01-01", "2026-01-02"))
                .expectStatus()
                .isCreated();

        TripPage page = list("/trips");

        assertThat(page.items()).extracting(TripSummary::id).containsExactly(early.id(), earlyToo.id(), late.id());
        assertThat(page)
                .extracting(TripPage::page, TripPage::size, TripPage::total)
                .containsExactly(0, 20, 3L);
    }

    @Test
    void listsPageByPage() {
        List<Long> ids = Stream.of("2026-01-01", "2026-01-02", "2026-01-03", "2026-01-04", "2026-01-05")
                .map(day -> add("Trip", day, day).id())
                .toList();

        assertThat(list("/trips?size=2").items()).extracting(TripSummary::id).isEqualTo(ids.subList(0, 2));
        assertThat(list("/trips?size=2&page=2").items())
                .extracting(TripSummary::id)
                .isEqualTo(ids.subList(4, 5));
        TripPage behind = list("/trips?size=100&page=2147483647");
        assertThat(behind.items()).isEmpty();
        assertThat(behind.total()).isEqualTo(5);
    }

    @Test
    void aMemberWithoutTripsGetsAnEmptyPage() {
        assertThat(list("/trips")).isEqualTo(new TripPage(List.of(), 0, 20, 0));
    }

    @ParameterizedTest
    @CsvSource({
        "size=0, size",
        "size=101, size",
        "page=-1, page",
        "size=many, size",
        "page=2147483648, page",
        "page=-1&size=0, page size"
    })
    void rejectsAPageOutOfRange(String query, String fields) {
        expectProblem(caller.get("/trips?" + query), 400, "invalid-request", fields.split(" "));
    }

    @Test
    void changesATrip() {
        Trip added = add("Lisbon", "2026-06-01", "2026-06-07");

        Trip changed = caller.put("/trips/" + added.id(), change("Porto", "2026-05-10", "2026-06-08", 0))
                .expectStatus()
                .isOk()
                .expectBody(Trip.class)
                .returnResult()
                .getResponseBody();

        assertThat(changed)
                .isEqualTo(new Trip(
                        added.id(),
                        "Porto",
                        LocalDate.of(2026, 5, 10),
                        LocalDate.of(2026, 6, 8),
                        TripStatus.ONGOING,
                        1));
        assertThat(find(added.id())).isEqualTo(changed);
    }

    @Test
    void anUpdateWithEqualValuesStillCountsAsOne() {
        Trip added = add("Lisbon", "2026-06-01", "2026-06-07");

        caller.put("/trips/" + added.id(), change("Lisbon", "2026-06-01", "2026-06-07", 0))
                .expectStatus()
                .isOk()
                .expectBody()
                .jsonPath("$.version")
                .isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 0, 2})
    void rejectsAnUpdateOfAnotherVersion(int version) {
        Trip added = add("Lisbon", "2026-06-01", "2026-06-07");
        caller.put("/trips/" + added.id(), change("Porto", "2026-06-01", "2026-06-07", 0))
                .expectStatus()
                .isOk();

        ResponseSpec stale = caller.put("/trips/" + added.id(), change("Faro", "2026-06-01", "2026-06-07", version));

        expectProblem(stale, 409, "trip-changed");
        assertThat(find(added.id()).title()).isEqualTo("Porto");
    }

    @Test
    void onlyOneConcurrentUpdateWins() throws Exception {
        Trip added = add("Lisbon", "2026-06-01", "2026-06-07");

        List<Integer> answers = Concurrently.call(
                12,
                () -> caller.put("/trips/" + added.id(), change("Porto", "2026-06-01", "2026-06-07", 0))
                        .returnResult()
                        .getStatus()
                        .value());

        assertThat(answers).containsOnlyOnce(200).containsOnly(200, 409);
        assertThat(find(added.id()).version()).isEqualTo(1);
    }

    @Test
    void removesATripWithItsPlans() {
        Trip added = add("Lisbon", "2026-06-01", "2026-06-07");
        caller.post("/trips/" + added.id() + "/plans", "{\"day\":1,\"place\":\"Here\",\"latitude\":1,\"longitude\":2}")
                .expectStatus()
                .isCreated();

        caller.delete("/trips/" + added.id())
                .expectStatus()
                .isNoContent()
                .expectBody()
                .isEmpty();

        expectProblem(caller.get("/trips/" + added.id()), 404, "trip-not-found");
        assertThat(jdbc.sql("SELECT COUNT(*) FROM plans WHERE trip_id = ?")
                        .param(added.id())
                        .query(Integer.class)
                        .single())
                .isZero();
    }

    @Test
    void anotherMembersTripIsNotFound() {
        long another = add("Mine", "2026-06-01", "2026-06-07").id();
        Caller stranger = newCaller();

        for (long id : List.of(another, Long.MAX_VALUE, 0L, -1L)) {
            String uri = "/trips/" + id;
            expectProblem(stranger.get(uri), 404, "trip-not-found");
            expectProblem(stranger.put(uri, change("Theirs", "2026-06-01", "2026-06-07", 0)), 404, "trip-not-found");
            expectProblem(stranger.delete(uri), 404, "trip-not-found");
        }
        assertThat(find(another).title()).isEqualTo("Mine");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
                    {}                                                                       | title startDate endDate
                    {"title": " ", "startDate": "2026-01-01", "endDate": "2026-01-01"}       | title
                    {"title": 1.5, "startDate": "2026-13-01", "endDate": "2026-01-01"}       | startDate
                    {"title": "T", "startDate": "2026-01-02", "endDate": "2026-01-01"}       | endDate
                    {"title": "T", "startDate": "2026-01-02"}                                | endDate
                    {"title": "T", "startDate": "+10000-01-01", "endDate": "+10000-01-01"}   | startDate endDate
                    {"title": "T", "startDate": "0999-01-01", "endDate": "2026-01-01"}       | startDate
                    {"title": ["T"], "startDate": "2026-01-01", "endDate": "2026-01-01"}     | title
                    """)
    void listsTheInvalidFieldsOfATrip(String json, String fields) {
        expectProblem(caller.post("/trips", json), 400, "invalid-request", fields.split(" "));
    }

    @Test
    void rejectsAnOverlongTitle() {
        ResponseSpec response = caller.post("/trips", trip("x".repeat(101), "2026-01-01", "2026-01-01"));

        expectProblem(response, 400, "invalid-request", "title");
    }

    @Test
    void anUpdateNeedsItsVersion() {
        ResponseSpec response = caller.put("/trips/1", trip("T", "2026-01-01", "2026-01-01"));

        expectProblem(response, 400, "invalid-request", "version");
    }

    @ParameterizedTest
    @ValueSource(strings = {"{", "", "no json", "[]", "null"})
    void rejectsABodyThatIsNotAJsonObject(String body) {
        ResponseSpec response = caller.post("/trips", body);

        expectProblem(response, 400, "malformed-request");
    }

    @Test
    void rejectsAnIdThatIsNotANumber() {
        expectProblem(caller.get("/trips/first"), 400, "invalid-request", "tripId");
    }

    @Test
    void reportsFrameworkErrorsAsProblems() {
        expectProblem(caller.get("/nothing"), 404, "not-found");
        expectProblem(caller.http().method(HttpMethod.PATCH).uri("/trips/1").exchange(), 405, "method-not-allowed");
        expectProblem(
                caller.http()
                        .post()
                        .uri("/trips")
                        .contentType(MediaType.TEXT_PLAIN)
                        .body("x")
                        .exchange(),
                415,
                "unsupported-media-type");
        expectProblem(
                caller.http().get().uri("/trips").accept(MediaType.TEXT_HTML).exchange(), 406, "not-acceptable");
    }

    private Trip add(String title, String startDate, String endDate) {
        return caller.post("/trips", trip(title, startDate, endDate))
                .expectStatus()
                .isCreated()
                .expectBody(Trip.class)
                .returnResult()
                .getResponseBody();
    }

    private Trip find(long id) {
        return caller.get("/trips/" + id)
                .expectStatus()
                .isOk()
                .expectBody(Trip.class)
                .returnResult()
                .getResponseBody();
    }

    private TripPage list(String uri) {
        return caller.get(uri)
                .expectStatus()
                .isOk()
                .expectBody(TripPage.class)
                .returnResult()
                .getResponseBody();
    }

    private static String trip(String title, String startDate, String endDate) {
        return "{\"title\": \"%s\", \"startDate\": \"%s\", \"endDate\": \"%s\"}".formatted(title, startDate, endDate);
    }

    private static String change(String title, String startDate, String endDate, int version) {
        return "{\"title\": \"%s\", \"startDate\": \"%s\", \"endDate\": \"%s\", \"version\": %d}"
                .formatted(title, startDate, endDate, version);
    }
}
