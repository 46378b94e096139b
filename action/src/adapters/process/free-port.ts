import { createServer } from 'node:net';
import { Fault } from '../../model/fault.ts';

/** Takes a port of the loopback interface and gives it back, so that a child can have it; 0 takes any free one. */
export function reservePort(port: number, place: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (error) =>
      reject(
        new Fault(
          {
            code: 'E_PORT_TAKEN',
            kind: 'measurement',
            place,
            cause: `port ${port} of 127.0.0.1 is not free: ${error.message}`,
            nextStep: 'stop what listens there (`ss -ltnp`), or write `auto` instead of the number',
          },
          { cause: error },
        ),
      ),
    );
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => {
      const address = server.address();
      const taken = typeof address === 'object' && address !== null ? address.port : port;
      server.close(() => resolve(taken));
    });
  });
}
