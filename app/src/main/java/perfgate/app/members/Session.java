package perfgate.app.members;

public record Session(String token, long expiresInSeconds, long memberId) {

    @Override
    public String toString() {
        return "Session[memberId=" + memberId + "]";
    }
}
