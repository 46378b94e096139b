package perfgate.db;

/** Plain lines for people, on stderr: stdout carries only what programs read. */
final class Progress {
    private Progress() {}

    static void say(String line) {
        System.err.println(line);
    }
}
