import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { Fault } from '../../model/fault.ts';

/**
 * Linux takes the ports of outgoing connections, and of listeners that ask for any port, from 32,768 up. A port below
 * stays free until the service listens there, however many connections others open in the meantime.
 */
const range = { first: 20_000, end: 32_000 };

/** The next one to try. Each is used once, since a port looks free until its service listens. */
let next = randomInt(range.first, range.end);

/** A port of the loopback interface for a child to listen on: the one named, or any free one. */
export function reservePort(port: number | 'auto', place: string): Promise<number> {
  return port === 'auto' ? reserveAny(place) : reserve(port, place);
}

async function reserve(port: number, place: string): Promise<number> {
  try {
    await tryPort(port);
    return port;
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

async function reserveAny(place: string): Promise<number> {
  for (let tries = range.first; tries < range.end; tries += 1) {
    const port = next;
    next = port + 1 === range.end ? range.first : port + 1;
    try {
      await tryPort(port);
      return port;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    }
  }
  throw new Fault({
    code: 'E_PORT_TAKEN',
    kind: 'measurement',
    place,
    cause: `no port from ${range.first} to ${range.end - 1} of 127.0.0.1 is free`,
    nextStep: 'stop programs that listen there (`ss -ltnp`)',
  });
}

/** Opens and closes it; rejects if it cannot be opened. */
async function tryPort(port: number): Promise<void> {
  const server = createServer().listen({ port, host: '127.0.0.1', exclusive: true });
  await once(server, 'listening');
  server.close();
  await once(server, 'close');
}
