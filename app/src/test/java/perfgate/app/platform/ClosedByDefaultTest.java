package perfgate.app.platform;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurationPackages;
import org.springframework.boot.test.context.TestComponent;
import org.springframework.context.annotation.AnnotationConfigUtils;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.support.GenericWebApplicationContext;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;
import perfgate.app.members.MemberId;

class ClosedByDefaultTest {

    @TestComponent
    @RestController
    static class Closed {
        @GetMapping("/mine")
        long mine(MemberId member) {
            return member.value();
        }
    }

    @TestComponent
    @RestController
    static class Open {
        @ForAnyone
        @GetMapping("/all")
        String all() {
            return "all";
        }
    }

    @TestComponent
    @RestController
    static class Forgotten {
        @GetMapping("/forgotten")
        String forgotten(long member) {
            return "member " + member;
        }
    }

    @Test
    void startsIfEveryMethodKnowsItsCallerOrIsForAnyone() {
        assertThatCode(() -> start(Closed.class, Open.class)).doesNotThrowAnyException();
    }

    @Test
    void doesNotStartWithAMethodThatForgetsItsCaller() {
        assertThatIllegalStateException()
                .isThrownBy(() -> start(Closed.class, Forgotten.class))
                .withMessageContaining("Forgotten#forgotten[1 args] answers anyone");
    }

    private static void start(Class<?>... controllers) {
        try (GenericWebApplicationContext context = new GenericWebApplicationContext()) {
            AutoConfigurationPackages.register(context, "perfgate.app");
            AnnotationConfigUtils.registerAnnotationConfigProcessors(context);
            for (Class<?> controller : controllers) {
                context.registerBean(controller);
            }
            context.registerBean("requestMappingHandlerMapping", RequestMappingHandlerMapping.class);
            context.registerBean(ClosedByDefault.class);
            context.refresh();
        }
    }
}
