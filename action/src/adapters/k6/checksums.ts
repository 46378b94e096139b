/**
 * SHA-256 of k6's own archives, by their names. The list beside a release is written by whoever writes the archive, so
 * for the version that is used by default it is not what decides.
 */
export const knownK6Archives: ReadonlyMap<string, string> = new Map([
  ['k6-v2.2.0-linux-amd64.tar.gz', 'b5a8003c86f35f5cd5ceef1490312c48e587696c94d998cefc6d7b3b4cb1597d'],
  ['k6-v2.2.0-linux-arm64.tar.gz', '4ecd64cadcc792402d16293836115480419c4447c032858f564852d98f1bf54c'],
]);
