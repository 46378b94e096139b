package perfgate.app.platform;

import java.util.Arrays;
import java.util.List;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.AutoConfigurationPackages;
import org.springframework.stereotype.Component;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;

/** Keeps the service from starting with a controller method that nobody decided to open. Costs requests nothing. */
@Component
class ClosedByDefault implements SmartInitializingSingleton {

    private final RequestMappingHandlerMapping mapping;
    private final List<String> ownPackages;

    ClosedByDefault(
            @Qualifier("requestMappingHandlerMapping") RequestMappingHandlerMapping mapping, BeanFactory application) {
        this.mapping = mapping;
        this.ownPackages = AutoConfigurationPackages.get(application);
    }

    @Override
    public void afterSingletonsInstantiated() {
        for (HandlerMethod method : mapping.getHandlerMethods().values()) {
            if (isOwn(method) && !method.hasMethodAnnotation(ForAnyone.class) && !knowsItsCaller(method)) {
                throw new IllegalStateException(
                        method.getShortLogMessage()
                                + " answers anyone. Declare the caller as an argument, such as MemberId or Fan, or add @ForAnyone.");
            }
        }
    }

    private boolean isOwn(HandlerMethod method) {
        return ownPackages.stream()
                .anyMatch(own -> method.getBeanType().getPackageName().startsWith(own));
    }

    private static boolean knowsItsCaller(HandlerMethod method) {
        return Arrays.stream(method.getMethodParameters())
                .anyMatch(parameter -> Caller.class.isAssignableFrom(parameter.getParameterType()));
    }
}
