package perfgate.app.problems;

import java.net.URI;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;

/**
 * An expected error, which carries its response and no stack trace. Conflicts are ordinary under load, and filling in a
 * stack trace costs more than the request itself.
 */
public final class Problem extends RuntimeException {

    private final HttpStatus status;
    private final String type;
    private final String detail;

    public Problem(HttpStatus status, String type, String detail) {
        super(detail, null, false, false);
        this.status = status;
        this.type = type;
        this.detail = detail;
    }

    /** The response body, whose type is {@code /problems/} followed by this problem's type. */
    public ProblemDetail body() {
        return detail(status, type, detail);
    }

    public HttpStatus status() {
        return status;
    }

    public static ProblemDetail detail(HttpStatus status, String type, String detail) {
        ProblemDetail body = ProblemDetail.forStatusAndDetail(status, detail);
        body.setType(type(type));
        return body;
    }

    public static URI type(String type) {
        return URI.create("/problems/" + type);
    }
}
