package perfgate.app.members;

import jakarta.validation.constraints.Email;
import jakarta.validation.constraints.NotBlank;
import jakarta.validation.constraints.NotEmpty;
import jakarta.validation.constraints.Pattern;
import jakarta.validation.constraints.Size;

public record Login(
        // The column is ASCII. Any other character would make the database convert and scan the whole column.
        @NotBlank @Size(max = 100) @Email @Pattern(regexp = "\\p{ASCII}*", message = "must be ASCII")
        String email,

        @NotEmpty @Size(max = 100) String password) {

    @Override
    public String toString() {
        return "Login[email=" + email + "]";
    }
}
