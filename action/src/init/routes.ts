/** How frameworks and hand-written servers name a route that is read; parameters end the match. */
const readRoutes = [
  /\b(?:app|router|server|api|fastify|r|e|mux|blueprint|bp)\.(?:get|Get|GET|route)\(\s*['"`](\/[\w./-]{0,80})['"`]/g,
  /\bHandleFunc\(\s*"(?:GET )?(\/[\w./-]{0,80})"/g,
  /@GetMapping\(\s*(?:(?:path|value)\s*=\s*)?"(\/[\w./-]{0,80})"/g,
  /\b(?:path|pathname|url)\s{0,2}(?:===?|==)\s{0,2}['"](\/[\w./-]{0,80})['"]/g,
];
const ofOperations =
  /health|ready|live|ping|metrics|actuator|favicon|static|docs|swagger|openapi|admin|login|logout/i;
const mostRoutes = 3;

/** Up to three addresses without parameters that the sources answer, and that users rather than machines ask for. */
export function routesIn(sources: readonly string[]): readonly string[] {
  const routes = sources.flatMap((text) =>
    readRoutes.flatMap((pattern) => [...text.matchAll(pattern)].map(([, path = '']) => path)),
  );
  return [...new Set(routes)].filter((path) => !ofOperations.test(path)).slice(0, mostRoutes);
}
