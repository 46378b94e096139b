import { setTimeout } from 'node:timers/promises';

// Without the gate, nobody needs the load.
process.once('disconnect', () => process.exit());

/** Runs as a process of its own: takes a core in bursts, half of the time on average. */
const meanMs = 2000;
/** Exponential, so that bursts keep no time with the blocks. */
const drawMs = () => -meanMs * Math.log(1 - Math.random());

for (;;) {
  const until = performance.now() + drawMs();
  while (performance.now() < until);
  await setTimeout(drawMs());
}
