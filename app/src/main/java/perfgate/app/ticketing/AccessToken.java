package perfgate.app.ticketing;

/** The token of the waiting queue as a caller sent it. */
public record AccessToken(String value) {

    /** It opens the queue to whoever has it, so it stays out of logs. */
    @Override
    public String toString() {
        return "AccessToken[]";
    }
}
