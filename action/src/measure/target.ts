import { Fault } from '../model/fault.ts';

/** The loopback addresses 127.0.0.0/8 (RFC 1122) and ::1 (RFC 4291). */
export function isLoopback(hostname: string): boolean {
  return /^(localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])$/.test(hostname);
}

/** Refuses to load a host that is neither this machine nor listed in allowTargets: a forgotten load test costs money. */
export function refuseForeignTarget(url: string, allowed: readonly string[], place: string): void {
  // Variables hold ports of this machine. Only the host matters here, so any port will do.
  const probe = URL.parse(url.replace(/\$\{[^}]*\}/g, '1'));
  if (probe === null || !['http:', 'https:'].includes(probe.protocol)) {
    throw new Fault({
      code: 'E_TARGET_URL',
      kind: 'usage',
      place,
      cause: `"${url}" is not an http address`,
      nextStep: 'write `url` as http://127.0.0.1:${PORT} with PORT from `ports`',
    });
  }
  if (isLoopback(probe.hostname) || allowed.includes(probe.hostname)) return;
  throw new Fault({
    code: 'E_TARGET_FOREIGN',
    kind: 'usage',
    place,
    cause: `${probe.hostname} is not this machine, and allowTargets does not list it`,
    nextStep: `use a local address, or add ${probe.hostname} to allowTargets if you own it and want to load it`,
  });
}
