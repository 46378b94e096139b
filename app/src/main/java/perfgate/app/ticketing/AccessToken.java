package perfgate.app.ticketing;

/** The waiting-queue token as the caller sent it. The queue knows it or refuses the call. */
public record AccessToken(String value) {

    /** Anyone who has the token can pass the queue, so it stays out of logs. */
    @Override
    public String toString() {
        return "AccessToken[]";
    }
}
