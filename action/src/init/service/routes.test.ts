import { describe, expect, it } from 'vitest';
import { routesIn } from './routes.ts';

describe('the paths of a first scenario', () => {
  it.each([
    ['Express', "app.get('/items', list); router.get(`/offers`, offers)", ['/items', '/offers']],
    ['Flask and FastAPI', '@app.route("/books")\n@api.get("/authors")', ['/books', '/authors']],
    ['Go', 'http.HandleFunc("GET /rates", rates); r.Get("/pairs", pairs)', ['/rates', '/pairs']],
    ['a hand-written server', 'if self.path == "/a": ...\nif (url.pathname === \'/b\') {', ['/a', '/b']],
    [
      'Spring, with a class mapping',
      '@RequestMapping("/trips")\nclass Trips {\n  @GetMapping\n  List all();\n  @GetMapping("/open") List open();\n  @GetMapping(path = "/{id}") Trip one();\n}',
      ['/trips', '/trips/open'],
    ],
    [
      'Spring, with a parameter in the class mapping',
      '@RequestMapping("/trips/{id}") class P { @GetMapping("/plans") List all(); }',
      [],
    ],
  ])('are the GET routes without parameters of %s', (_, source, routes) => {
    expect(routesIn([source]).toSorted()).toEqual(routes.toSorted());
  });

  it('leave out operational and administrative routes, parameters and writes', () => {
    const source =
      "app.get('/health'); app.get('/metrics'); app.get('/items/:id'); app.post('/items'); app.get('/admin/x')";
    expect(routesIn([source])).toEqual([]);
  });

  it('leave out health routes with any suffix, and no route that only begins or ends like one', () => {
    const routesOf = (...paths: readonly string[]) =>
      paths.flatMap((path) => routesIn([`app.get('${path}', answer)`]));
    const users = ['/shipping', '/shopping-cart', '/deliveries', '/documents', '/administrators'];
    expect(routesOf(...users)).toEqual(users);
    expect(routesOf('/healthz', '/api/health.json', '/health-check', '/healthCheck')).toEqual([]);
    expect(routesOf('/_health', '/readyz/full', '/readiness', '/livez', '/liveness')).toEqual([]);
    expect(routesOf('/v3/api-docs', '/swagger-ui.html', '/favicon.ico')).toEqual([]);
  });

  it('are at most three, without duplicates', () => {
    const source = [1, 2, 2, 3, 4].map((n) => `app.get('/page${n}')`).join('\n');
    expect(routesIn([source, source])).toEqual(['/page1', '/page2', '/page3']);
  });
});
