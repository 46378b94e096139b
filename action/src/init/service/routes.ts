/** How frameworks and hand-written servers declare a GET route. A route with parameters does not match. */
const readRoutes = [
  /\b(?:app|router|server|api|fastify|r|e|mux|blueprint|bp)\.(?:get|Get|GET|route)\(\s*['"`](\/[\w./-]{0,80})['"`]/g,
  /\bHandleFunc\(\s*"(?:GET )?(\/[\w./-]{0,80})"/g,
  /\b(?:path|pathname|url)\s{0,2}(?:===?|==)\s{0,2}['"](\/[\w./-]{0,80})['"]/g,
];
/** Whole words of a path, because `/shipping` and `/deliveries` are for users. */
const operationalWords: ReadonlySet<string> = new Set([
  ...['health', 'healthz', 'healthy', 'healthcheck', 'ready', 'readyz', 'readiness', 'ping', 'metrics'],
  ...['live', 'livez', 'liveness', 'alive', 'actuator', 'favicon', 'static', 'docs', 'apidocs', 'swagger'],
  ...['openapi', 'admin', 'login', 'logout'],
]);
const maxRoutes = 3;

/** Up to three paths without parameters that the sources serve to users, not to machines. */
export function routesIn(sources: readonly string[]): readonly string[] {
  const routes = sources.flatMap((text) => [
    ...readRoutes.flatMap((pattern) => [...text.matchAll(pattern)].map(([, path = '']) => path)),
    ...springRoutes(text),
  ]);
  return [...new Set(routes)].filter((path) => !isOperational(path)).slice(0, maxRoutes);
}

function isOperational(path: string): boolean {
  const words = path.toLowerCase().split(/[/._-]/);
  return words.some((word) => operationalWords.has(word));
}

const mapping = String.raw`(?:\(\s*(?:(?:path|value)\s{0,4}=\s{0,4})?"(/?[^"\n]{0,80})"|\(\s{0,4}\)|(?=\s))`;
const classMapping = new RegExp(`@RequestMapping${mapping}`);
const getMapping = new RegExp(`@GetMapping${mapping}`, 'g');

/** The path of a controller method begins with the mapping of its class. */
function springRoutes(text: string): readonly string[] {
  const prefix = classMapping.exec(text)?.[1] ?? '';
  return [...text.matchAll(getMapping)]
    .map(([, path = '']) => `/${prefix}/${path}`.replaceAll(/\/{2,}/g, '/').replace(/(.)\/$/, '$1'))
    .filter((path) => /^\/[\w./-]+$/.test(path));
}
