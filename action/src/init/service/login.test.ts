import { describe, expect, it } from 'vitest';
import { repositoryOf } from '../../../test/init/repository.ts';
import { loginOf } from './login.ts';

const security =
  '<project><artifactId>shop</artifactId><dependency><artifactId>spring-boot-starter-security</artifactId></dependency></project>';

describe('the login of a service', () => {
  it.each<[string, Record<string, string>, object]>([
    [
      'Spring Security with a login of its own',
      {
        'pom.xml': security,
        'src/main/java/Auth.java':
          '@RequestMapping("/api/auth") class Auth { @PostMapping("/signin") Token in(@RequestBody Login login) {} record Login(String username) {} }',
      },
      { scheme: 'bearer', path: '/api/auth/signin', body: 'json', user: 'username' },
    ],
    [
      'Spring MVC with the method in the mapping',
      {
        'pom.xml': security,
        'src/main/java/Users.java':
          '@RestController class Users { @RequestMapping(path = "/users/login", method = POST) Token in(@RequestBody Login login) {} record Login(String email) {} }',
      },
      { scheme: 'bearer', path: '/users/login', body: 'json', user: 'email' },
    ],
    ['Spring Security alone', { 'pom.xml': security }, { scheme: 'basic' }],
    [
      'Express with tokens',
      {
        'package.json': '{ "dependencies": { "jsonwebtoken": "^9.0.0" } }',
        'routes/auth.js': "router.post('/users/login', ({ body: { email, password } }, res) => {})",
      },
      { scheme: 'bearer', path: '/users/login', body: 'json', user: 'email' },
    ],
    [
      'FastAPI with the form of OAuth 2',
      {
        'requirements.txt': 'fastapi\n',
        'main.py':
          'scheme = OAuth2PasswordBearer(tokenUrl="token")\n@app.post("/token")\nasync def login(form: Annotated[OAuth2PasswordRequestForm, Depends()]): ...\n',
      },
      { scheme: 'bearer', path: '/token', body: 'form', user: 'username' },
    ],
    [
      'FastAPI with the prefix of a router, whose form names the user even if that is an address',
      {
        'main.py': 'scheme = HTTPBearer()\napp.include_router(router)',
        'auth.py':
          'router = APIRouter(prefix="/auth", tags=["login"])\n@router.post("/login/")\ndef login(form: OAuth2PasswordRequestForm = Depends()): return by_email(email)\n',
      },
      { scheme: 'bearer', path: '/auth/login/', body: 'form', user: 'username' },
    ],
    [
      'Go with a router of any name',
      {
        'go.mod': 'module shop\nrequire github.com/golang-jwt/jwt/v5 v5.2.0\n',
        'main.go': 's.Router.POST("/signup", s.signup)\ns.Router.POST("/login", s.login)',
      },
      {
        scheme: 'bearer',
        path: '/login',
        findings: [{}, { text: expect.not.stringContaining('because') }, {}],
      },
    ],
    [
      'Go without a route that looks like a login',
      { 'go.mod': 'module shop\nrequire github.com/golang-jwt/jwt/v5 v5.2.0\n' },
      { scheme: 'bearer', path: '/login', body: 'json' },
    ],
  ])('is read from %s', (_, files, login) => {
    expect(loginOf(repositoryOf(files))).toMatchObject(login);
  });

  it.each<[string, Record<string, string>]>([
    ['a service that asks nobody', { 'package.json': '{ "dependencies": { "express": "5" } }' }],
    [
      "only the tests' security",
      { 'pom.xml': '<project><artifactId>spring-security-test</artifactId></project>' },
    ],
    [
      'a name that only begins like a library',
      { 'package.json': '{ "dependencies": { "passport-shop": "1" } }' },
    ],
  ])('is none for %s', (_, files) => {
    expect(loginOf(repositoryOf(files))).toBeUndefined();
  });
});
