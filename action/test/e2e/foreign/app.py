"""The catalogue of a library over HTTP: Python's standard library and nothing else."""

import json
import os
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

BOOKS = [(number, f"Book {number}", f"author-{number % 20_000}") for number in range(200_000)]
BY_AUTHOR = {}
for book in BOOKS:
    BY_AUTHOR.setdefault(book[2], []).append(book)


def query(answer):
    """What a database would answer, after the time that it would take."""
    time.sleep(0.02)
    return answer


def books_by(author):
    return query(BY_AUTHOR.get(author, []))


def shown(book):
    number, title, author = book
    return {"number": number, "title": title, "author": author}


class Catalogue(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1

    def do_GET(self):
        address = urlsplit(self.path)
        if address.path == "/health":
            return self.answer({"status": "ok"})
        if address.path == "/books":
            author = parse_qs(address.query).get("author", [""])[0]
            return self.answer([shown(book) for book in books_by(author)])
        number = address.path.removeprefix("/books/")
        if number.isdigit() and int(number) < len(BOOKS):
            return self.answer(shown(BOOKS[int(number)]))
        return self.answer({"error": "no such book"}, 404)

    def answer(self, value, status=200):
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


if __name__ == "__main__":
    ThreadingHTTPServer((os.environ.get("HOST", "127.0.0.1"), int(os.environ["PORT"])), Catalogue).serve_forever()
