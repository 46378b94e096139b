package perfgate.app.trips;

import jakarta.validation.Constraint;
import jakarta.validation.ConstraintValidator;
import jakarta.validation.ConstraintValidatorContext;
import jakarta.validation.Payload;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.time.LocalDate;
import org.jspecify.annotations.Nullable;

/** Checks that the period does not end before it starts, and that a DATE column can hold both days. */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Constraint(validatedBy = ValidPeriod.Validator.class)
public @interface ValidPeriod {

    String message() default "is not a valid period";

    Class<?>[] groups() default {};

    Class<? extends Payload>[] payload() default {};

    final class Validator implements ConstraintValidator<ValidPeriod, TripPeriod> {

        private static final int FIRST_YEAR = 1000;
        private static final int LAST_YEAR = 9999;

        @Override
        public boolean isValid(TripPeriod period, ConstraintValidatorContext context) {
            LocalDate start = period.startDate();
            LocalDate end = period.endDate();
            boolean valid = storable(start, "startDate", context) & storable(end, "endDate", context);
            if (valid && start != null && end != null && end.isBefore(start)) {
                return invalid("endDate", "must not be before startDate", context);
            }
            return valid;
        }

        private static boolean storable(@Nullable LocalDate date, String field, ConstraintValidatorContext context) {
            if (date == null || (date.getYear() >= FIRST_YEAR && date.getYear() <= LAST_YEAR)) {
                return true;
            }
            return invalid(field, "must be between the years " + FIRST_YEAR + " and " + LAST_YEAR, context);
        }

        private static boolean invalid(String field, String message, ConstraintValidatorContext context) {
            context.disableDefaultConstraintViolation();
            context.buildConstraintViolationWithTemplate(message)
                    .addPropertyNode(field)
                    .addConstraintViolation();
            return false;
        }
    }
}
