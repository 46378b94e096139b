package perfgate.app.ticketing.web;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.core.MethodParameter;
import org.springframework.http.HttpStatus;
import org.springframework.stereotype.Component;
import org.springframework.web.bind.support.WebDataBinderFactory;
import org.springframework.web.context.request.NativeWebRequest;
import org.springframework.web.method.support.HandlerMethodArgumentResolver;
import org.springframework.web.method.support.ModelAndViewContainer;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;
import perfgate.app.problems.Problem;
import perfgate.app.ticketing.AccessToken;
import perfgate.app.ticketing.Buyer;
import perfgate.app.ticketing.Fan;
import perfgate.app.ticketing.Ticketing;

/** Resolves the queue token to the argument that a controller declares: the token itself, its fan or its buyer. */
@Component
class AccessTokenResolver implements HandlerMethodArgumentResolver, WebMvcConfigurer {

    static final String HEADER = "X-Access-Token";

    private final Map<Class<?>, Function<AccessToken, Object>> arguments;

    AccessTokenResolver(Ticketing ticketing) {
        arguments = Map.of(
                AccessToken.class, token -> token,
                Fan.class, ticketing::admitted,
                Buyer.class, ticketing::buyer);
    }

    @Override
    public void addArgumentResolvers(List<HandlerMethodArgumentResolver> resolvers) {
        resolvers.add(this);
    }

    @Override
    public boolean supportsParameter(MethodParameter parameter) {
        return arguments.containsKey(parameter.getParameterType());
    }

    @Override
    public Object resolveArgument(
            MethodParameter parameter,
            @Nullable ModelAndViewContainer container,
            NativeWebRequest request,
            @Nullable WebDataBinderFactory binders) {
        String header = request.getHeader(HEADER);
        if (header == null || header.isBlank()) {
            throw new Problem(
                    HttpStatus.UNAUTHORIZED, "token-missing", "The " + HEADER + " header has no queue token.");
        }
        return Objects.requireNonNull(arguments.get(parameter.getParameterType()))
                .apply(new AccessToken(header.strip()));
    }
}
