import type { Repository } from '../../src/init/repository.ts';
import { repositoryOf } from './repository.ts';

const hostileName = 'a"; echo pwn # ::error::x\n| <!-- perf-gate --> \u202e\u001b[31m ${{ github.token }}';

const pom = `<?xml version="1.0"?>
<project>
  <parent>
    <groupId>org.springframework.boot</groupId>
    <artifactId>spring-boot-starter-parent</artifactId>
    <version>4.1.2</version>
  </parent>
  <!-- <artifactId>an old name</artifactId> -->
  <groupId>shop</groupId>
  <artifactId>orders</artifactId>
  <version>0.3.0-SNAPSHOT</version>
  <properties><java.version>25</java.version></properties>
  <dependencies>
    <dependency><artifactId>spring-boot-starter-actuator</artifactId><version>9</version></dependency>
    <dependency><artifactId>micrometer-registry-prometheus</artifactId></dependency>
    <dependency><artifactId>spring-boot-starter-webmvc</artifactId></dependency>
    <dependency><artifactId>spring-boot-starter-data-jpa</artifactId></dependency>
    <dependency><artifactId>postgresql</artifactId></dependency>
  </dependencies>
  <build><plugins><plugin><artifactId>spring-boot-maven-plugin</artifactId></plugin></plugins></build>
</project>
`;
const controller = `@RestController class Orders {
  @GetMapping("/orders") List<Order> all() { return orders.all(); }
  @GetMapping("/orders/{id}") Order one() { return orders.one(); }
}`;

const nodeFiles = {
  'package.json': `{
  "name": "catalogue",
  "engines": { "node": ">=22" },
  "scripts": { "start": "node src/server.js", "test": "vitest" },
  "dependencies": { "express": "^5", "pg": "^8" }
}`,
  'package-lock.json': '{}',
  'src/server.js': `
    const app = express();
    app.get('/items', list);
    app.get('/items/:id', one);
    app.get('/healthz', (_, response) => response.send('ok'));
    app.listen(process.env.PORT ?? 3000);`,
  'test/server.test.js': "app.get('/not-a-route')",
};

/** Typical repositories of other teams. */
export const repositories: Readonly<Record<string, Repository>> = {
  'spring-maven-compose': repositoryOf({
    'pom.xml': pom,
    'src/main/java/shop/Orders.java': controller,
    Dockerfile: 'FROM eclipse-temurin:25\nEXPOSE 8080\nCMD ["java", "-jar", "/app.jar"]\n',
    'docker-compose.yml': `
x-common: &common
  restart: always
services:
  orders:
    <<: *common
    build: .
    ports: ["8080:8080"]
    environment: { DB_PASSWORD: "\${DB_PASSWORD:?}" }
    depends_on: [db]
    healthcheck:
      test: ["CMD", "curl", "-f", "http://localhost:8080/actuator/health/readiness"]
  db:
    image: docker.io/library/postgres:17
    container_name: shop-db
    ports: ["5432:5432"]
`,
  }),
  // Spring Initializr writes this compose file. It has no service entry, because people start that from the editor.
  'spring-maven-backing': repositoryOf({
    'pom.xml': pom,
    mvnw: '#!/bin/sh\n',
    'src/main/java/shop/Orders.java': controller,
    'compose.yaml': `services:
  postgres:
    image: 'postgres:latest'
    environment:
      - 'POSTGRES_DB=mydatabase'
      - 'POSTGRES_PASSWORD=\${POSTGRES_PASSWORD:-secret}'
      - 'POSTGRES_USER=myuser'
    ports:
      - '5432'
  redis:
    image: 'redis:latest'
    ports: ['6379:6379']
  kafka:
    image: 'apache/kafka'
    ports: ['9092:9092']
  grafana:
    image: 'grafana/grafana'
    ports: ['3000:3000']
`,
  }),
  'spring-maven-jar': repositoryOf({
    'pom.xml': pom,
    mvnw: '#!/bin/sh\n',
    'src/main/java/shop/Orders.java': controller,
    Dockerfile:
      'FROM eclipse-temurin:25-jre\nARG JAR_FILE=target/*.jar\nCOPY ${JAR_FILE} app.jar\nEXPOSE 8080\nENTRYPOINT ["java","-jar","/app.jar"]\n',
    'compose.yaml': `services:
  app: { build: ., ports: ["8080:8080"], depends_on: [db] }
  db: { image: "postgres:17", environment: { POSTGRES_PASSWORD: secret } }
`,
  }),
  'spring-gradle-jar': repositoryOf({
    'build.gradle': "plugins { id 'org.springframework.boot' version '4.1.2' }\n",
    gradlew: '#!/bin/sh\n',
    Dockerfile: 'FROM eclipse-temurin:21-jre\nCOPY --chown=1000 build/libs/*.jar /app.jar\n',
    'docker-compose.yml': 'services:\n  app: { build: ., ports: ["8080:8080"] }\n',
  }),
  'node-backing': repositoryOf({
    ...nodeFiles,
    'compose.yml': 'services:\n  db: { image: "postgres:17", ports: ["5432:5432"] }\n',
  }),
  'python-dockerfile-backing': repositoryOf(
    {
      Dockerfile: 'FROM python:3.14-slim\nCOPY . /app\nEXPOSE 5000\nCMD ["python3", "/app/app.py"]\n',
      'app.py': '@app.route("/prices")\ndef prices(): ...\n@app.route("/health")\ndef health(): ...\n',
      'docker-compose.yml': 'services:\n  cache: { image: valkey/valkey:8, ports: ["6379:6379"] }\n',
    },
    { name: 'prices' },
  ),
  'spring-maven': repositoryOf({
    'pom.xml': pom,
    mvnw: '#!/bin/sh\n',
    'src/main/java/shop/Orders.java': controller,
    'src/main/resources/application.yml':
      'server:\n  servlet: { context-path: /shop }\nmanagement.server.port: 9090\n',
  }),
  'spring-gradle': repositoryOf({
    'build.gradle.kts': 'plugins { id("org.springframework.boot") version "4.1.2" }\nversion = "1.0.0"\n',
    'settings.gradle.kts': 'rootProject.name = "orders"\n',
    gradlew: '#!/bin/sh\n',
  }),
  node: repositoryOf(nodeFiles, { name: 'catalogue', branch: 'trunk' }),
  'python-dockerfile': repositoryOf(
    {
      Dockerfile:
        'FROM python:3.14-slim\nCOPY . /app\nEXPOSE 5000/tcp\nENTRYPOINT ["python3"]\nCMD ["app.py", "--quiet"]\n',
      'app.py': 'from http.server import HTTPServer\nHTTPServer(("", 5000), Handler).serve_forever()\n',
    },
    { name: 'prices' },
  ),
  'fastapi-login': repositoryOf({
    'requirements.txt': 'fastapi\nuvicorn\n',
    'main.py': `
app = FastAPI()
scheme = OAuth2PasswordBearer(tokenUrl="token")
@app.post("/token")
async def login(form: Annotated[OAuth2PasswordRequestForm, Depends()]): ...
@app.get("/items")
async def items(token: Annotated[str, Depends(scheme)]): ...`,
  }),
  'spring-maven-security': repositoryOf({
    'pom.xml': pom.replace('starter-data-jpa', 'starter-security'),
    'src/main/java/shop/Orders.java': controller,
  }),
  'node-login': repositoryOf({
    ...nodeFiles,
    'package.json': nodeFiles['package.json'].replace('"pg": "^8"', '"jsonwebtoken": "^9"'),
    'src/auth.js': "router.post('/auth/login', ({ body: { email, password } }, response) => {});",
  }),
  django: repositoryOf({
    'manage.py': 'os.environ.setdefault("DJANGO_SETTINGS_MODULE", "site_one.settings")',
    'requirements.txt': 'Django==6.0\ngunicorn\npsycopg[binary]\n',
  }),
  fastapi: repositoryOf({
    'pyproject.toml': '[project]\nname = "quotes"\ndependencies = ["fastapi", "uvicorn"]\n',
    'src/main.py':
      'api = FastAPI()\n@api.get("/quotes")\ndef quotes(): ...\n@api.get("/health")\ndef health(): ...\n',
  }),
  go: repositoryOf({
    'go.mod': 'module example.com/rates\nrequire github.com/redis/go-redis/v9 v9.0.0\n',
    'cmd/rates/main.go':
      'package main\nfunc main() {\n  http.HandleFunc("GET /rates", rates)\n  http.ListenAndServe(":9000", nil)\n}\n',
  }),
  rust: repositoryOf({
    'Cargo.toml': '[package]\nname = "geo-api"\nversion = "0.1.0"\n\n[dependencies]\naxum = "0.8"\n',
    'src/main.rs': 'fn main() { let port = std::env::var("PORT").unwrap(); }',
  }),
  procfile: repositoryOf({
    Procfile: 'release: rake db:migrate\nweb: bundle exec puma --port $PORT\n',
  }),
  dockerfile: repositoryOf({
    Dockerfile:
      '# syntax=docker/dockerfile:1\nFROM php:8.4 AS build\nEXPOSE 1\nFROM php:8.4-apache\nEXPOSE 80 443\nHEALTHCHECK --interval=5s \\\n  CMD curl -f http://localhost/up || exit 1\n',
    'index.php': '<?php echo 1;',
  }),
  hostile: repositoryOf(
    {
      'compose.yaml': `services:
  web:
    build: ../../etc
    ports: ["8080:99999", "-1", "80;reboot", {target: "1e3"}, "7000"]
    container_name: ${JSON.stringify(hostileName)}
    healthcheck: { test: "curl http://localhost:7000/up'$(reboot)" }
`,
      'routes.js': `app.get('/ok'); app.get('/a\`\${process.exit()}'); app.get("/x');alert(1)//")`,
    },
    { name: hostileName, branch: 'main]\n  pwn: [x' },
  ),
};
