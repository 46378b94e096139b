import { check } from 'k6';
import http from 'k6/http';

export default function () {
  for (const name of ['list', 'detail']) {
    const response = http.get(`${__ENV.BASE_URL}/${name}`, { tags: { name } });
    check(response, { 'answered 200': ({ status }) => status === 200 }, { name });
  }
}
