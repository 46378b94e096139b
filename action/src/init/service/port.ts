/** The TCP port that the text names; undefined for anything else. */
export function portOf(text: string | number | undefined): number | undefined {
  const digits = String(text ?? '').trim();
  if (!/^\d{1,5}$/.test(digits)) return undefined;
  const port = Number(digits);
  return port >= 1 && port <= 65_535 ? port : undefined;
}

/** How common languages read the variable PORT. */
const readsPort = [
  /process\.env\.PORT\b/,
  /process\.env\[['"]PORT['"]\]/,
  /\benviron(?:\.get\(|\[)\s*['"]PORT['"]/,
  /\b[gG]etenv\(\s*['"]PORT['"]/,
  /\bLookupEnv\(\s*"PORT"/,
  /\benv::var(?:_os)?\(\s*"PORT"/,
  /\bENV(?:\.fetch\(|\[)\s*['"]PORT['"]/,
  // Gin reads it if it gets no address.
  /gin-gonic\/gin"[\s\S]*\.Run\(\)/,
];

const literalPorts = [
  /\.listen\(\s*(\d{2,5})\b/,
  /\bListenAndServe\(\s*"[^"\n]{0,40}:(\d{2,5})"/,
  /\b(?:HTTPServer|TCPServer)\(\s*\(\s*['"][^'"\n]{0,40}['"]\s*,\s*(\d{2,5})\b/,
  /\b(?:port|PORT)\s{0,4}(?::|=|:=)\s{0,4}(\d{2,5})\b/,
];

export type ListeningPort =
  /** The service listens where PORT says, so any free port will do. */
  { readonly kind: 'variable' } | { readonly kind: 'fixed'; readonly port: number; readonly why: string };

/** Where a service listens, by its sources, its Dockerfile or the default of its framework. */
export function listeningPort(
  sources: readonly string[],
  exposed: number | undefined,
  defaultPort: { readonly port: number; readonly why: string },
): ListeningPort {
  if (sources.some((text) => readsPort.some((pattern) => pattern.test(text)))) return { kind: 'variable' };
  if (exposed !== undefined) return { kind: 'fixed', port: exposed, why: 'the Dockerfile exposes it' };
  for (const text of sources) {
    for (const pattern of literalPorts) {
      const port = portOf(pattern.exec(text)?.[1]);
      if (port !== undefined) return { kind: 'fixed', port, why: 'its source names it' };
    }
  }
  return { kind: 'fixed', ...defaultPort };
}
