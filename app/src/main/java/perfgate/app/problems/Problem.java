package perfgate.app.problems;

import java.net.URI;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;

/**
 * An expected refusal. It carries its answer and no stack trace: under load a conflict is an ordinary outcome, and filling
 * in a trace costs more than the request that met it.
 */
public final class Problem extends RuntimeException {

    private final HttpStatus status;
    private final String type;

    public Problem(HttpStatus status, String type, String detail) {
        super(detail, null, false, false);
        this.status = status;
        this.type = type;
    }

    /** The answer's body; its type is {@code /problems/} and this problem's type. */
    public ProblemDetail body() {
        return detail(status, type, getMessage());
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
