import { edit, type Finding, found, guessed } from '../finding.ts';
import { type Repository, serviceSources } from '../repository.ts';

/** How a client seems to prove who it is, as far as the repository shows. */
export type Login =
  | { readonly scheme: 'basic'; readonly findings: readonly Finding[] }
  | {
      readonly scheme: 'bearer';
      /** Answers a POST with a token. Holds only letters, digits and `._/-`. */
      readonly path: string;
      readonly body: 'json' | 'form';
      /** Field of the body that names the user. */
      readonly user: 'username' | 'email';
      readonly findings: readonly Finding[];
    };

const manifest = /^([\w.-]+\/)?(pom\.xml|build\.gradle(\.kts)?|package\.json|go\.mod|Cargo\.toml)$/;
/** Libraries with which a service answers 401 or 403 to a client that it does not know. */
const library =
  /spring-boot-starter-(?:security|oauth2-resource-server)|quarkus-oidc|(?<=")(?:passport(?:-jwt|-local)?|express-jwt|jsonwebtoken|@nestjs\/(?:jwt|passport)|@fastify\/jwt)(?=")|(?:golang-jwt\/jwt|dgrijalva\/jwt-go)|go-chi\/jwtauth|echo-jwt|(?<=^)jsonwebtoken(?=\s)/m;
const pythonGuard =
  /\b(?:OAuth2PasswordBearer|HTTPBearer|HTTPBasic|flask_jwt_extended|rest_framework_simplejwt)\b/;
/** Paths that answer a POST. The name of the router is free, because few other paths look like a login. */
const postRoutes = [
  /\b\w{1,60}\.(?:post|Post|POST)\(\s*['"`](\/[\w./-]{0,80})['"`]/g,
  /\bHandleFunc\(\s*"POST (\/[\w./-]{0,80})"/g,
];
const pythonPrefix =
  /\b(?:APIRouter|Blueprint)\([^)\n]{0,120}\b(?:url_)?prefix\s?=\s?["'](\/[\w./-]{0,80})["']/;
const classMapping = /@RequestMapping\(\s*(?:(?:path|value)\s{0,4}=\s{0,4})?"(\/?[\w./-]{0,80})"/;
const postMapping = /@PostMapping\(\s*(?:(?:path|value)\s{0,4}=\s{0,4})?"(\/?[\w./-]{0,80})"/g;
const postMethod =
  /@RequestMapping\(\s*(?:path|value)\s{0,4}=\s{0,4}"(\/?[\w./-]{0,80})"\s{0,4},\s{0,4}method\s{0,4}=\s{0,4}(?:RequestMethod\.)?POST\b/g;
const loginPath = /\/(?:log-?in|sign-?in|authenticate|token|access-token|sessions?)\/?$/i;

/** Undefined if nothing says that the service asks who its client is. */
export function loginOf(repository: Repository): Login | undefined {
  const sources = serviceSources(repository);
  const name = guardOf(repository, sources);
  if (name === undefined) return undefined;
  const [at] = sources.flatMap((text) => {
    const path = postsIn(text).find((one) => loginPath.test(one));
    return path === undefined ? [] : [{ path, text }];
  });
  const why = found(`${name}: routes may answer 401 or 403 without a login`);
  if (at === undefined && /spring-boot-starter-security|HTTPBasic\b/.test(name)) {
    return { scheme: 'basic', findings: [why, guessed('it takes HTTP Basic'), credentials] };
  }
  const { path = '/login', text = '' } = at ?? {};
  return {
    scheme: 'bearer',
    path,
    ...(/\bOAuth2PasswordRequestForm\b/.test(text)
      ? { body: 'form', user: 'username' }
      : {
          body: 'json',
          user: /\bemail\b/i.test(text) && !/\busername\b/i.test(text) ? 'email' : 'username',
        }),
    findings: [
      why,
      guessed(
        at === undefined
          ? 'POST /login answers with a token, because no route of the sources looks like a login; see setup() in perf/scenarios/browse.js'
          : `POST ${path} answers with a token; see setup() in perf/scenarios/browse.js`,
      ),
      credentials,
    ],
  };
}

const credentials = edit(
  'if the requested routes need a login, put a user of your test data into LOGIN_USER and LOGIN_PASSWORD in perf/gate.yml',
);

function guardOf({ paths, text }: Repository, sources: readonly string[]): string | undefined {
  const manifests = paths.filter((path) => manifest.test(path)).map((path) => text(path) ?? '');
  const names = manifests.flatMap((one) => library.exec(one)?.[0] ?? []);
  return names[0] ?? sources.flatMap((source) => pythonGuard.exec(source)?.[0] ?? [])[0];
}

function postsIn(text: string): readonly string[] {
  const routes = postRoutes.flatMap((pattern) => [...text.matchAll(pattern)]);
  return [
    ...routes.map(([, path = '']) => joined(pythonPrefix.exec(text)?.[1], path)),
    ...[...text.matchAll(postMapping)].map(([, path = '']) =>
      joined(classMapping.exec(text)?.[1], path).replace(/(.)\/$/, '$1'),
    ),
    ...[...text.matchAll(postMethod)].map(([, path = '']) => joined('', path)),
  ];
}

function joined(prefix = '', path: string): string {
  return `/${prefix}/${path}`.replaceAll(/\/{2,}/g, '/');
}
