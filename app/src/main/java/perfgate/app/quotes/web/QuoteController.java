package perfgate.app.quotes.web;

import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import perfgate.app.platform.ForAnyone;
import perfgate.app.quotes.Quote;
import perfgate.app.quotes.Quotes;

@RestController
class QuoteController {

    private final Quotes quotes;

    QuoteController(Quotes quotes) {
        this.quotes = quotes;
    }

    @ForAnyone
    @GetMapping("/quotes/random")
    Quote random() {
        return quotes.random();
    }
}
