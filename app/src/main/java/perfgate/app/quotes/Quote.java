package perfgate.app.quotes;

public record Quote(long id, String text) {}
