import { describe, expect, it } from 'vitest';
import { routesIn } from './routes.ts';

describe('the addresses of a first scenario', () => {
  it.each([
    ['Express', "app.get('/items', list); router.get(`/offers`, offers)", ['/items', '/offers']],
    ['Flask and FastAPI', '@app.route("/books")\n@api.get("/authors")', ['/books', '/authors']],
    ['Go', 'http.HandleFunc("GET /rates", rates); r.Get("/pairs", pairs)', ['/rates', '/pairs']],
    ['a server of its own', 'if self.path == "/a": ...\nif (url.pathname === \'/b\') {', ['/a', '/b']],
    [
      'Spring, with what the class is mapped to',
      '@RequestMapping("/trips")\nclass Trips {\n  @GetMapping\n  List all();\n  @GetMapping("/open") List open();\n  @GetMapping(path = "/{id}") Trip one();\n}',
      ['/trips', '/trips/open'],
    ],
    [
      'Spring, within a parameter',
      '@RequestMapping("/trips/{id}") class P { @GetMapping("/plans") List all(); }',
      [],
    ],
  ])('are those that %s reads without parameters', (_, source, routes) => {
    expect(routesIn([source]).toSorted()).toEqual(routes.toSorted());
  });

  it('are not what machines and administrators ask for, nor what has parameters or is written', () => {
    const source =
      "app.get('/health'); app.get('/metrics'); app.get('/items/:id'); app.post('/items'); app.get('/admin/x')";
    expect(routesIn([source])).toEqual([]);
  });

  it('are three at most, each once', () => {
    const source = [1, 2, 2, 3, 4].map((n) => `app.get('/page${n}')`).join('\n');
    expect(routesIn([source, source])).toEqual(['/page1', '/page2', '/page3']);
  });
});
