package perfgate.app.members.web;

import jakarta.validation.Valid;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
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
}
