package perfgate.app.quotes;

public interface Quotes {

    /** Any quote. A quote that follows deleted ones is drawn more often. */
    Quote random();
}
