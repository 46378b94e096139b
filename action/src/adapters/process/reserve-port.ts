import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { Fault } from '../../model/fault.ts';

/** Opens and closes a port of the loopback interface, so that a child can use it; 0 picks any free port. */
export async function reservePort(port: number, place: string): Promise<number> {
  const server = createServer().listen({ port, host: '127.0.0.1', exclusive: true });
  try {
    await once(server, 'listening');
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
  const { port: reserved } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return reserved;
}
