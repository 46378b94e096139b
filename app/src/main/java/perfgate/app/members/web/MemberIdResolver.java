package perfgate.app.members.web;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.core.MethodParameter;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.stereotype.Component;
import org.springframework.web.bind.support.WebDataBinderFactory;
import org.springframework.web.context.request.NativeWebRequest;
import org.springframework.web.method.support.HandlerMethodArgumentResolver;
import org.springframework.web.method.support.ModelAndViewContainer;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;
import perfgate.app.members.MemberId;
import perfgate.app.members.Members;
import perfgate.app.problems.Problem;

/** Resolves the bearer token to the {@link MemberId} that a controller declares, with one Redis lookup. */
@Component
class MemberIdResolver implements HandlerMethodArgumentResolver, WebMvcConfigurer {

    private static final String SCHEME = "Bearer ";

    private final Members members;

    MemberIdResolver(Members members) {
        this.members = members;
    }

    @Override
    public void addArgumentResolvers(List<HandlerMethodArgumentResolver> resolvers) {
        resolvers.add(this);
    }

    @Override
    public boolean supportsParameter(MethodParameter parameter) {
        return parameter.getParameterType() == MemberId.class;
    }

    @Override
    public MemberId resolveArgument(
            MethodParameter parameter,
            @Nullable ModelAndViewContainer container,
            NativeWebRequest request,
            @Nullable WebDataBinderFactory binders) {
        String header = request.getHeader(HttpHeaders.AUTHORIZATION);
        // The scheme name is case-insensitive (RFC 9110, section 11.1).
        if (header == null || !header.regionMatches(true, 0, SCHEME, 0, SCHEME.length())) {
            throw new Problem(
                    HttpStatus.UNAUTHORIZED, "token-missing", "The Authorization header has no bearer token.");
        }
        return members.memberOf(header.substring(SCHEME.length()).strip())
                .orElseThrow(() ->
                        new Problem(HttpStatus.UNAUTHORIZED, "token-unknown", "The token is unknown or has expired."));
    }
}
