/** A source of uniform numbers in [0, 1). */
export type Random = () => number;

/**
 * sfc32, Chris Doty-Humphrey's "Small Fast Counter" of PractRand: 128 bits of state, a period of at least 2^32.
 * The first outputs are dropped, so that seeds which are alike part company.
 */
export function createRandom(seed: number): Random {
  let a = 0;
  let b = 0;
  let c = seed | 0;
  let counter = 1;
  const next = (): number => {
    const out = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + out) | 0;
    return (out >>> 0) / 2 ** 32;
  };
  for (let dropped = 0; dropped < 12; dropped++) {
    next();
  }
  return next;
}

/** A standard normal value (Box and Muller 1958). */
export function drawNormal(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}
