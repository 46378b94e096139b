import { setTimeout } from 'node:timers/promises';

/** Runs in a thread of its own: takes a core in bursts, half of the time on average. */
const meanMs = 2000;
/** Exponential, so that bursts keep no time with the blocks. */
const drawMs = () => -meanMs * Math.log(1 - Math.random());

for (;;) {
  const until = performance.now() + drawMs();
  while (performance.now() < until);
  await setTimeout(drawMs());
}
