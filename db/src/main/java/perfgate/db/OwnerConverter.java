package perfgate.db;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads an {@link Owner} from the command line. */
final class OwnerConverter implements ITypeConverter<Owner> {
    @Override
    public Owner convert(String text) {
        try {
            return Owner.parse(text);
        } catch (IllegalArgumentException e) {
            throw new TypeConversionException(e.getMessage());
        }
    }
}
