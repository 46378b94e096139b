package perfgate.app.platform;

/** An authenticated caller. A controller method that declares one as an argument refuses everybody else. */
public interface Caller {}
