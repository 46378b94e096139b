import { portOf } from './port.ts';

export interface HealthAddress {
  readonly port: number | undefined;
  readonly path: string;
}

const path = String.raw`/[\w./-]{0,100}`;
const address = new RegExp(
  String.raw`https?://(?:localhost|127\.0\.0\.1|0\.0\.0\.0)(?::(\d{1,5}))?(${path})?`,
);

/** The address that a health check requests, such as `curl -f http://localhost:8080/health`. */
export function healthAddress(text: string): HealthAddress | undefined {
  const match = address.exec(text);
  return match === null ? undefined : { port: portOf(match[1]), path: match[2] ?? '/' };
}

/** Common paths of a readiness check. The most specific ones come first. */
const usualPaths = ['/readyz', '/ready', '/healthz', '/health', '/livez', '/ping'];

/** The first common path that the sources hold as a string literal. */
export function readinessPath(sources: readonly string[]): string | undefined {
  return usualPaths.find((usual) =>
    sources.some((text) =>
      [`"${usual}"`, `'${usual}'`, `\`${usual}\``].some((quoted) => text.includes(quoted)),
    ),
  );
}
