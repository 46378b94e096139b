package perfgate.app.quotes.domain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.beans.factory.annotation.Autowired;
import perfgate.app.ServiceTest;
import perfgate.app.problems.Problem;
import perfgate.app.quotes.domain.QuotesProperties.Pick;

class QuotesTest extends ServiceTest {

    @Autowired
    private QuoteRepository repository;

    @BeforeEach
    void threeQuotesWithAGap() {
        jdbc.sql("DELETE FROM quotes").update();
        for (long id : List.of(3L, 5L, 9L)) {
            jdbc.sql("INSERT INTO quotes (id, text) VALUES (?, ?)")
                    .params(id, "Quote " + id)
                    .update();
        }
    }

    @ParameterizedTest
    @EnumSource
    void everyQuoteComesUp(Pick pick) {
        DefaultQuotes quotes = quotes(pick);
        Set<String> seen = new TreeSet<>();

        // One of three is missing after 200 draws with a probability below 1e-20, by key even for the rarest.
        for (int i = 0; i < 200; i++) {
            seen.add(quotes.random().text());
        }

        assertThat(seen).containsExactly("Quote 3", "Quote 5", "Quote 9");
    }

    @ParameterizedTest
    @EnumSource
    void theLastQuotesMayDisappear(Pick pick) {
        DefaultQuotes quotes = quotes(pick);
        quotes.random();
        jdbc.sql("DELETE FROM quotes WHERE id > 3").update();

        for (int i = 0; i < 20; i++) {
            assertThat(quotes.random().id()).isEqualTo(3);
        }
    }

    @ParameterizedTest
    @EnumSource
    void noQuotesAreNotFound(Pick pick) {
        DefaultQuotes quotes = quotes(pick);
        jdbc.sql("DELETE FROM quotes").update();

        assertThatThrownBy(quotes::random).isInstanceOf(Problem.class).hasMessageContaining("There are no quotes.");
    }

    @Test
    void anyoneGetsAQuote() {
        anonymous
                .get()
                .uri("/quotes/random")
                .exchange()
                .expectStatus()
                .isOk()
                .expectBody()
                .jsonPath("$.text")
                .value(text -> assertThat((String) text).startsWith("Quote "));
    }

    @Test
    void anEmptyTableIsAProblem() {
        jdbc.sql("DELETE FROM quotes").update();

        expectProblem(anonymous.get().uri("/quotes/random").exchange(), 404, "quote-not-found");
    }

    private DefaultQuotes quotes(Pick pick) {
        return new DefaultQuotes(repository, new QuotesProperties(pick));
    }
}
