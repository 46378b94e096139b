import type { Endpoint } from './gate-file.ts';

/** Text of a first k6 script. It imports nothing but k6, so it runs wherever k6 does. */
export function scenarioFile(endpoints: readonly Endpoint[]): string {
  const steps = endpoints.map(({ name, path }) => `  get(${literal(name)}, ${literal(path)});`);
  return `// What one user does, once through; how many do it at once stands in ../gate.yml.
// By hand: k6 run --env BASE_URL=http://127.0.0.1:8080 --vus 5 --duration 10s perf/scenarios/browse.js
import { sleep } from 'k6';
import http from 'k6/http';

// No step reads an answer yet. One that does asks for it with { responseType: 'text' }.
export const options = { discardResponseBodies: true };

export default function () {
${steps.join('\n')}
}

/** The name is a row of every report, and one of the endpoints in gate.yml: without ids, so that it stays one row. */
function get(name, path) {
  http.get(\`\${__ENV.BASE_URL}\${path}\`, { tags: { name }, timeout: '15s' });
  // 50 ms on average: without a pause a quick service is measured by how fast k6 can ask. With one, p95 tells more than TPS.
  sleep(Math.random() / 10);
}
`;
}

function literal(text: string): string {
  return `'${text.replaceAll(/[\\']/g, '\\$&')}'`;
}
