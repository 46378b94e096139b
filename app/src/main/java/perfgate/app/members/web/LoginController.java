package perfgate.app.members.web;

import jakarta.validation.Valid;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import perfgate.app.members.Login;
import perfgate.app.members.Members;
import perfgate.app.members.Session;
import perfgate.app.platform.ForAnyone;

@RestController
class LoginController {

    private final Members members;

    LoginController(Members members) {
        this.members = members;
    }

    @ForAnyone
    @PostMapping("/members/login")
    Session login(@Valid @RequestBody Login login) {
        return members.login(login);
    }

    /** Open to anyone, because knowing the token is all it takes to end its session. */
    @ForAnyone
    @PostMapping("/members/logout")
    @ResponseStatus(HttpStatus.NO_CONTENT)
    void logout(@RequestHeader(name = HttpHeaders.AUTHORIZATION, required = false) @Nullable String authorization) {
        if (!members.logout(BearerToken.of(authorization))) {
            throw BearerToken.unknown();
        }
    }
}
