import { once } from 'node:events';
import { createServer } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { reserveAnyPort, reservePort } from './reserve-port.ts';

/** Below the ports that Linux gives to connections by default, and Kubernetes to its services. */
const lowestGiven = 30_000;

async function listenOn(port: number): Promise<void> {
  const server = createServer().listen(port, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
}

/** A port whose successor is the next one to try. */
async function beforeAnother(): Promise<number> {
  const port = await reserveAnyPort('here');
  return port + 1 < lowestGiven ? port : reserveAnyPort('here');
}

describe('any port', () => {
  it('is none that this machine gives to connections, and reserved once, though nobody listens there yet', async () => {
    const ports = new Set<number>();
    for (let count = 0; count < 500; count += 1) ports.add(await reserveAnyPort('here'));
    expect(ports.size).toBe(500);
    expect(Math.max(...ports)).toBeLessThan(lowestGiven);
  });

  it('is none where a program listens', async () => {
    const port = await beforeAnother();
    await listenOn(port + 1);
    const another = await reserveAnyPort('here');
    expect([port, port + 1]).not.toContain(another);
  });
});

it('refuses a number where a program listens, and says what to do', async () => {
  const port = await reserveAnyPort('here');
  await reservePort(port, 'here');
  await listenOn(port);
  await expect(reservePort(port, 'service.ports.PORT')).rejects.toMatchObject({
    details: {
      code: 'E_PORT_TAKEN',
      place: 'service.ports.PORT',
      cause: expect.stringContaining(`port ${port} of 127.0.0.1 is not free`),
    },
  });
});
