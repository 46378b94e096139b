package perfgate.app.ticketing.web;

import jakarta.validation.Valid;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;
import perfgate.app.members.MemberId;
import perfgate.app.platform.ForAnyone;
import perfgate.app.ticketing.AccessToken;
import perfgate.app.ticketing.Enqueue;
import perfgate.app.ticketing.QueuePlace;
import perfgate.app.ticketing.Ticketing;

@RestController
class QueueController {

    private final Ticketing ticketing;

    QueueController(Ticketing ticketing) {
        this.ticketing = ticketing;
    }

    @PostMapping("/queues/enqueue")
    ResponseEntity<Void> enqueue(MemberId member, @Valid @RequestBody Enqueue enqueue) {
        TokenOwner.require(member.value(), enqueue.userId());
        AccessToken token = ticketing.enqueue(enqueue.userId());
        return ResponseEntity.status(HttpStatus.CREATED)
                .header(AccessTokenResolver.HEADER, token.value())
                .build();
    }

    @ForAnyone
    @GetMapping("/queues/order")
    QueuePlace order(AccessToken token) {
        return ticketing.order(token);
    }
}
