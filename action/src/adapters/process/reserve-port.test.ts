import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { reservePort } from './reserve-port.ts';

async function listenOn(port: number): Promise<void> {
  const server = createServer().listen(port, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
}

describe('any port', () => {
  it('is none that this machine gives to connections, which a service under load opens by the hundred', async () => {
    const [lowest] = readFileSync('/proc/sys/net/ipv4/ip_local_port_range', 'utf8').split('\t');
    for (let count = 0; count < 20; count += 1) {
      expect(await reservePort('auto', 'here')).toBeLessThan(Number(lowest));
    }
  });

  it('is reserved once, though nobody listens there yet', async () => {
    const ports = new Set<number>();
    for (let count = 0; count < 500; count += 1) ports.add(await reservePort('auto', 'here'));
    expect(ports.size).toBe(500);
  });

  it('is none where a program listens', async () => {
    const port = await reservePort('auto', 'here');
    await listenOn(port + 1);
    expect(await reservePort('auto', 'here')).not.toBe(port + 1);
  });
});

it('refuses a number where a program listens, and says what to do', async () => {
  const port = await reservePort('auto', 'here');
  expect(await reservePort(port, 'here')).toBe(port);
  await listenOn(port);
  await expect(reservePort(port, 'service.ports.PORT')).rejects.toMatchObject({
    details: {
      code: 'E_PORT_TAKEN',
      place: 'service.ports.PORT',
      cause: expect.stringContaining(`port ${port} of 127.0.0.1 is not free`),
    },
  });
});
