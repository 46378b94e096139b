import type { Login } from '../service/login.ts';
import type { Endpoint } from './gate-file.ts';

/** Text of a first k6 script. It imports only k6, so it runs wherever k6 does. */
export function scenarioFile(endpoints: readonly Endpoint[], login: Login | undefined): string {
  const headers = login === undefined ? '' : ', headers';
  const steps = endpoints.map(({ name, path }) => `  get(${literal(name)}, ${literal(path)}${headers});`);
  return `// What one user does in one iteration. ../gate.yml sets how many users do it at the same time.
// To run it by hand: k6 run --env BASE_URL=http://127.0.0.1:8080 --vus 5 --duration 10s perf/scenarios/browse.js
${importsOf(login)}

// No step reads a response yet. A step that does so needs { responseType: 'text' }.
export const options = { discardResponseBodies: true };
${login === undefined ? '' : setupOf(login)}
export default function (${login === undefined ? '' : '{ headers }'}) {
${steps.join('\n')}
}

/** The name is a row of each report and an endpoint in gate.yml. Keep ids out of it, so that it stays one row. */
function get(name, path${headers}) {
  http.get(\`\${__ENV.BASE_URL}\${path}\`, { tags: { name }${headers}, timeout: '15s' });
  // The pause is 50 ms on average. Without it, the speed of k6 limits a fast service. With it, compare p95, not TPS.
  sleep(Math.random() / 10);
}
`;
}

function importsOf(login: Login | undefined): string {
  const http = "import http from 'k6/http';";
  switch (login?.scheme) {
    case undefined:
      return `import { sleep } from 'k6';\n${http}`;
    case 'basic':
      return `import { sleep } from 'k6';\nimport { b64encode } from 'k6/encoding';\n${http}`;
    case 'bearer':
      return `import { fail, sleep } from 'k6';\n${http}`;
  }
}

/** A `setup()` that does nothing until gate.yml names a user, because the requested routes may need none. */
function setupOf(login: Login): string {
  const begin = `
/** k6 calls this once before the load and passes the result to each iteration. gate.yml names the user. */
export function setup() {
  const { BASE_URL, LOGIN_USER, LOGIN_PASSWORD } = __ENV;
  if (!LOGIN_USER) return { headers: {} };
`;
  if (login.scheme === 'basic') {
    return `${begin.replace('BASE_URL, ', '')}  return { headers: { Authorization: \`Basic \${b64encode(\`\${LOGIN_USER}:\${LOGIN_PASSWORD}\`)}\` } };
}
`;
  }
  const fields = `{ ${login.user}: LOGIN_USER, password: LOGIN_PASSWORD }`;
  const json = login.body === 'json';
  return `${begin}  const response = http.post(\`\${BASE_URL}${login.path}\`, ${json ? `JSON.stringify(${fields})` : fields}, {${
    json ? "\n    headers: { 'Content-Type': 'application/json' }," : ''
  }
    responseType: 'text',
    timeout: '15s',
  });
  if (response.status < 200 || response.status > 299) {
    fail(\`the login answered \${response.status}: correct LOGIN_USER, LOGIN_PASSWORD or setup()\`);
  }
  const answer = response.json();
  const token = answer.token ?? answer.access_token ?? answer.accessToken ?? answer.jwt;
  if (!token) fail('the answer to the login holds no token: correct the name of its field in setup()');
  return { headers: { Authorization: \`Bearer \${token}\` } };
}
`;
}

function literal(text: string): string {
  return `'${text.replaceAll(/[\\']/g, '\\$&')}'`;
}
