import { Fault } from '../model/fault.ts';

/** 127.0.0.0/8 and ::1, as RFC 1122 and RFC 4291 have them. */
const loopback = /^(localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])$/;

/** Refuses to load a host that is neither this machine nor named on purpose: a forgotten load test costs money. */
export function refuseForeignTarget(url: string, allowed: readonly string[], place: string): void {
  // Variables are ports of this machine; they stand in for one while only the host is looked at.
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
  if (loopback.test(probe.hostname) || allowed.includes(probe.hostname)) return;
  throw new Fault({
    code: 'E_TARGET_FOREIGN',
    kind: 'usage',
    place,
    cause: `${probe.hostname} is not this machine, and is not named in allowTargets`,
    nextStep: `load a local address, or add ${probe.hostname} to allowTargets if it is yours and meant to be loaded`,
  });
}
