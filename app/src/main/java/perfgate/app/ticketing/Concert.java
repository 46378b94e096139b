package perfgate.app.ticketing;

public record Concert(long id, String title, String artist) {}
