package perfgate.app.platform;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.dao.PessimisticLockingFailureException;
import org.springframework.resilience.annotation.Retryable;

/** Repeats a call that the database rolled back to resolve a deadlock. Nothing of it was committed. */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@Retryable(includes = PessimisticLockingFailureException.class, maxRetries = 3, delay = 5, jitter = 5, multiplier = 2)
public @interface RetryLockFailures {}
