package perfgate.app.ticketing.domain;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.modulith.events.EventExternalizationConfiguration;
import perfgate.app.ticketing.SeatPaid;

@Configuration(proxyBeanMethods = false)
class EventRouting {

    /** Events about one reservation keep their order. In code, because an expression is evaluated anew for each event. */
    @Bean
    EventExternalizationConfiguration externalized() {
        return EventExternalizationConfiguration.externalizing()
                .select(EventExternalizationConfiguration.annotatedAsExternalized())
                .routeKey(SeatPaid.class, event -> Long.toString(event.reservationId()))
                .build();
    }
}
