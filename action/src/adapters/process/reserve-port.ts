import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { Fault } from '../../model/fault.ts';

/**
 * By default Linux takes the ports of outgoing connections, and of listeners that ask for any port, from 32,768 up, and
 * Kubernetes its node ports from 30,000 up. A port below stays free until the service listens there, however many
 * connections others open in the meantime.
 */
const range = { first: 11_000, end: 30_000 };

/** The next one to try. Each is used once, since a port looks free until its service listens. */
let next = randomInt(range.first, range.end);

/** Makes sure that a port of the loopback interface is free, so that a child can listen there. */
export async function reservePort(port: number, place: string): Promise<void> {
  try {
    await tryPort(port);
  } catch (error) {
    throw new Fault(
      {
        code: 'E_PORT_TAKEN',
        kind: 'measurement',
        place,
        cause: `port ${port} of 127.0.0.1 is not free: ${(error as Error).message}`,
        nextStep: 'stop the program that listens there (`ss -ltnp`), or write `auto` instead of the number',
      },
      { cause: error },
    );
  }
}

/** A free port of the loopback interface for a child to listen on. */
export async function reserveAnyPort(place: string): Promise<number> {
  let cause: unknown;
  for (let tries = range.first; tries < range.end; tries += 1) {
    const port = next;
    next = port + 1 === range.end ? range.first : port + 1;
    try {
      await tryPort(port);
      return port;
    } catch (error) {
      cause = error;
    }
  }
  throw new Fault(
    {
      code: 'E_PORT_TAKEN',
      kind: 'measurement',
      place,
      cause: `no port from ${range.first} to ${range.end - 1} of 127.0.0.1 is free: ${(cause as Error).message}`,
      nextStep: 'stop programs that listen there (`ss -ltnp`)',
    },
    { cause },
  );
}

/** Opens and closes it; rejects if it cannot be opened. */
async function tryPort(port: number): Promise<void> {
  const server = createServer().listen({ port, host: '127.0.0.1', exclusive: true });
  await once(server, 'listening');
  server.close();
  await once(server, 'close');
}
