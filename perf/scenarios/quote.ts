import { failedBelow, takeAndFind } from '../lib/client.ts';

export const options = { discardResponseBodies: true, thresholds: failedBelow(0.01) };

/** Anyone asks for a random quote. */
export default function quote(): void {
  takeAndFind({ endpoint: 'quote', method: 'GET', path: '/quotes/random', expect: 200 }, /"text":"(.)/);
}
