package perfgate.app.members.web;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.core.MethodParameter;
import org.springframework.http.HttpHeaders;
import org.springframework.stereotype.Component;
import org.springframework.web.bind.support.WebDataBinderFactory;
import org.springframework.web.context.request.NativeWebRequest;
import org.springframework.web.method.support.HandlerMethodArgumentResolver;
import org.springframework.web.method.support.ModelAndViewContainer;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;
import perfgate.app.members.MemberId;
import perfgate.app.members.Members;

/** Resolves the bearer token to the {@link MemberId} that a controller declares, with one Redis lookup. */
@Component
class MemberIdResolver implements HandlerMethodArgumentResolver, WebMvcConfigurer {

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
        return members.memberOf(BearerToken.of(request.getHeader(HttpHeaders.AUTHORIZATION)))
                .orElseThrow(BearerToken::unknown);
    }
}
