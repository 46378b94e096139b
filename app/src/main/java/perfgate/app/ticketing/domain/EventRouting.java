package perfgate.app.ticketing.domain;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.modulith.events.EventExternalizationConfiguration;
import perfgate.app.ticketing.SeatPaid;

@Configuration(proxyBeanMethods = false)
class EventRouting {

    /** The key keeps one reservation's events in order. Code is cheaper than an expression, which Spring parses per event. */
    @Bean
    EventExternalizationConfiguration externalized() {
        return EventExternalizationConfiguration.externalizing()
                .select(EventExternalizationConfiguration.annotatedAsExternalized())
                .routeKey(SeatPaid.class, event -> Long.toString(event.reservationId()))
                .build();
    }
}
