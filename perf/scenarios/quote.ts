import { sleep } from 'k6';
import { failedBelow, PAUSE, takeAndFind } from '../lib/client.ts';

export const options = { discardResponseBodies: true, thresholds: failedBelow(0.01) };

const betweenQuotes = Number(__ENV.PAUSE_SECONDS ?? 0);

/** Anyone asks for a random quote. */
export default function quote(): void {
  const text = takeAndFind(
    { endpoint: 'quote', method: 'GET', path: '/quotes/random', expect: 200 },
    /"text":"(.)/,
  );
  sleep(text === undefined ? PAUSE : betweenQuotes);
}
