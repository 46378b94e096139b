import type { Endpoint } from './gate-file.ts';

/** Text of a first k6 script. It imports only k6, so it runs wherever k6 does. */
export function scenarioFile(endpoints: readonly Endpoint[]): string {
  const steps = endpoints.map(({ name, path }) => `  get(${literal(name)}, ${literal(path)});`);
  return `// What one user does in one iteration. ../gate.yml sets how many users do it at the same time.
// To run it by hand: k6 run --env BASE_URL=http://127.0.0.1:8080 --vus 5 --duration 10s perf/scenarios/browse.js
import { sleep } from 'k6';
import http from 'k6/http';

// No step reads a response yet. A step that does so needs { responseType: 'text' }.
export const options = { discardResponseBodies: true };

export default function () {
${steps.join('\n')}
}

/** The name is a row of each report and an endpoint in gate.yml. Keep ids out of it, so that it stays one row. */
function get(name, path) {
  http.get(\`\${__ENV.BASE_URL}\${path}\`, { tags: { name }, timeout: '15s' });
  // The pause is 50 ms on average. Without it, the speed of k6 limits a fast service. With it, compare p95, not TPS.
  sleep(Math.random() / 10);
}
`;
}

function literal(text: string): string {
  return `'${text.replaceAll(/[\\']/g, '\\$&')}'`;
}
