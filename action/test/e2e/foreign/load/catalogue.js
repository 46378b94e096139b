import { check, group } from 'k6';
import { SharedArray } from 'k6/data';
import http from 'k6/http';

const authors = new SharedArray('authors', () => JSON.parse(open('./authors.json')));
const base = __ENV.BASE_URL || 'http://localhost:8000';

export const options = {
  stages: [
    { duration: '30s', target: 20 },
    { duration: '1m', target: 20 },
  ],
  thresholds: { http_req_duration: ['p(95)<1'] },
};

export function setup() {
  return { first: http.get(`${base}/books/0`, { tags: { name: 'setup' } }).json('number') };
}

export default function ({ first }) {
  group('look for a book', () => {
    const author = authors[Math.floor(Math.random() * authors.length)];
    const found = http.get(`${base}/books?author=${author}`, { tags: { name: 'books by author' } });
    check(found, { 'found books': (response) => response.status === 200 && response.json().length > 0 });
  });
  group('look at it', () => {
    const number = first + Math.floor(Math.random() * 1000);
    const book = http.get(http.url`${base}/books/${number}`);
    check(book, { 'found the book': (response) => response.json('number') === number });
  });
  http.get(`${base}/health`);
}
