package perfgate.app.problems.web;

import io.lettuce.core.RedisCommandExecutionException;
import jakarta.servlet.http.HttpServletResponse;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.redisson.client.RedisException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.TypeMismatchException;
import org.springframework.context.MessageSourceResolvable;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.dao.QueryTimeoutException;
import org.springframework.dao.TransientDataAccessException;
import org.springframework.data.redis.RedisSystemException;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.http.converter.HttpMessageNotReadableException;
import org.springframework.transaction.CannotCreateTransactionException;
import org.springframework.transaction.TransactionSystemException;
import org.springframework.validation.FieldError;
import org.springframework.validation.method.ParameterErrors;
import org.springframework.validation.method.ParameterValidationResult;
import org.springframework.web.ErrorResponse;
import org.springframework.web.bind.MethodArgumentNotValidException;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.context.request.ServletWebRequest;
import org.springframework.web.context.request.WebRequest;
import org.springframework.web.method.annotation.HandlerMethodValidationException;
import org.springframework.web.method.annotation.MethodArgumentTypeMismatchException;
import org.springframework.web.servlet.mvc.method.annotation.ResponseEntityExceptionHandler;
import perfgate.app.problems.Problem;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DatabindException;

@RestControllerAdvice
class ProblemAdvice extends ResponseEntityExceptionHandler {

    private static final Logger log = LoggerFactory.getLogger(ProblemAdvice.class);

    private final OncePerSecond failures = new OncePerSecond();
    private final OncePerSecond outages = new OncePerSecond();

    /** One invalid input: the field name as the caller wrote it, and the reason. */
    record InvalidField(String field, String message) {}

    @ExceptionHandler
    ResponseEntity<Object> refused(Problem problem) {
        HttpHeaders headers = new HttpHeaders();
        if (problem.status() == HttpStatus.UNAUTHORIZED) {
            headers.set(HttpHeaders.WWW_AUTHENTICATE, "Bearer");
        }
        return ResponseEntity.status(problem.status()).headers(headers).body(problem.body());
    }

    /**
     * The database or Redis did not answer in time (a commit can time out too), or the database rolled this request back
     * to resolve a deadlock.
     */
    @ExceptionHandler({
        CannotCreateTransactionException.class,
        DataAccessResourceFailureException.class,
        QueryTimeoutException.class,
        RedisException.class,
        TransactionSystemException.class,
        TransientDataAccessException.class
    })
    ResponseEntity<Object> unavailable(Exception e) {
        outages.run(
                suppressed -> log.warn("Answering 503 ({} more since the last line): {}", suppressed, e.getMessage()));
        return ResponseEntity.status(HttpStatus.SERVICE_UNAVAILABLE)
                .header(HttpHeaders.RETRY_AFTER, "1")
                .body(Problem.detail(
                        HttpStatus.SERVICE_UNAVAILABLE,
                        "unavailable",
                        "The database or Redis did not answer in time. Try again."));
    }

    /** Lettuce throws this both while disconnected and for an error that Redis returned. Only the first is temporary. */
    @ExceptionHandler
    ResponseEntity<Object> redisFailed(RedisSystemException e, WebRequest request) {
        return e.getCause() instanceof RedisCommandExecutionException ? failed(e, request) : unavailable(e);
    }

    @ExceptionHandler
    ResponseEntity<Object> failed(Exception e, WebRequest request) {
        failures.run(suppressed -> log.error(
                "{} failed ({} more failures since the last line)", request.getDescription(false), suppressed, e));
        return ResponseEntity.internalServerError()
                .body(Problem.detail(
                        HttpStatus.INTERNAL_SERVER_ERROR,
                        "internal-error",
                        "The service failed to handle the request."));
    }

    @Override
    protected @Nullable ResponseEntity<Object> handleMethodArgumentNotValid(
            MethodArgumentNotValidException e, HttpHeaders headers, HttpStatusCode status, WebRequest request) {
        return invalid(e, e.getFieldErrors().stream().map(ProblemAdvice::field).toList(), headers, request);
    }

    @Override
    protected @Nullable ResponseEntity<Object> handleHandlerMethodValidationException(
            HandlerMethodValidationException e, HttpHeaders headers, HttpStatusCode status, WebRequest request) {
        List<InvalidField> fields = e.getParameterValidationResults().stream()
                .flatMap(ProblemAdvice::fields)
                .toList();
        return invalid(e, fields, headers, request);
    }

    @Override
    protected @Nullable ResponseEntity<Object> handleTypeMismatch(
            TypeMismatchException e, HttpHeaders headers, HttpStatusCode status, WebRequest request) {
        String name =
                e instanceof MethodArgumentTypeMismatchException mismatch ? mismatch.getName() : e.getPropertyName();
        return invalid(e, List.of(wrongType(name)), headers, request);
    }

    @Override
    protected @Nullable ResponseEntity<Object> handleHttpMessageNotReadable(
            HttpMessageNotReadableException e, HttpHeaders headers, HttpStatusCode status, WebRequest request) {
        if (e.getCause() instanceof DatabindException mapping
                && !mapping.getPath().isEmpty()) {
            JacksonException.Reference last = mapping.getPath().getLast();
            return invalid(e, List.of(wrongType(last.getPropertyName())), headers, request);
        }
        ProblemDetail body =
                Problem.detail(HttpStatus.BAD_REQUEST, "malformed-request", "The request body is not valid JSON.");
        return handleExceptionInternal(e, body, headers, HttpStatus.BAD_REQUEST, request);
    }

    /** Gives Spring's own errors (wrong method, unknown path, media types) a stable type too. */
    @Override
    protected @Nullable ResponseEntity<Object> handleExceptionInternal(
            Exception e, @Nullable Object body, HttpHeaders headers, HttpStatusCode status, WebRequest request) {
        HttpServletResponse response = ((ServletWebRequest) request).getResponse();
        if (response != null && response.isCommitted()) {
            return null;
        }
        ProblemDetail problem = e instanceof ErrorResponse error && body == null
                ? error.updateAndGetBody(getMessageSource(), request.getLocale())
                : body instanceof ProblemDetail given ? given : ProblemDetail.forStatus(status);
        HttpStatus known = HttpStatus.resolve(status.value());
        if (known != null && problem.getType() == null) {
            problem.setType(Problem.type(
                    known.getReasonPhrase().toLowerCase(Locale.ROOT).replace(' ', '-')));
        }
        return ResponseEntity.status(status).headers(headers).body(problem);
    }

    private @Nullable ResponseEntity<Object> invalid(
            Exception e, List<InvalidField> fields, HttpHeaders headers, WebRequest request) {
        // Validation reports fields in no fixed order, and the same request must get the same response.
        List<InvalidField> sorted = fields.stream()
                .sorted(Comparator.comparing(InvalidField::field).thenComparing(InvalidField::message))
                .toList();
        String names = sorted.stream().map(InvalidField::field).distinct().collect(Collectors.joining(", "));
        ProblemDetail body =
                Problem.detail(HttpStatus.BAD_REQUEST, "invalid-request", "Invalid fields: " + names + ".");
        body.setProperty("errors", sorted);
        return handleExceptionInternal(e, body, headers, HttpStatus.BAD_REQUEST, request);
    }

    private static Stream<InvalidField> fields(ParameterValidationResult result) {
        if (result instanceof ParameterErrors errors) {
            return errors.getFieldErrors().stream().map(ProblemAdvice::field);
        }
        String name = String.valueOf(result.getMethodParameter().getParameterName());
        return result.getResolvableErrors().stream().map(error -> new InvalidField(name, message(error)));
    }

    private static InvalidField wrongType(@Nullable String field) {
        return new InvalidField(String.valueOf(field), "has the wrong type or format");
    }

    private static InvalidField field(FieldError error) {
        return new InvalidField(error.getField(), message(error));
    }

    private static String message(MessageSourceResolvable error) {
        String message = error.getDefaultMessage();
        return message == null ? "is not valid" : message;
    }
}
