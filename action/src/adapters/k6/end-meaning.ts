const memoryHint = 'as the system does when memory runs out';

/** What k6's exit codes mean, apart from 0 and 99. */
const exitMeanings: Readonly<Record<number, string>> = {
  100: "the script's setup() took too long",
  101: "the script's teardown() took too long",
  102: 'a timeout',
  103: 'stopped through its REST API',
  104: 'k6 does not accept the options',
  105: 'stopped by a signal that the gate did not send',
  106: 'its REST API could not start',
  107: 'the script threw an exception outside of an iteration',
  108: 'the script called test.abort()',
  109: 'k6 itself crashed',
  110: 'the script called test.fail()',
  137: `killed by SIGKILL, ${memoryHint}`,
};

/** Why k6 failed, in words. */
export function endMeaning(exitCode: number | null, signal: string | null): string {
  if (exitCode !== null) return exitMeanings[exitCode] ?? `exit code ${exitCode}`;
  return signal === 'SIGKILL' ? `killed by SIGKILL, ${memoryHint}` : `killed by ${signal ?? 'a signal'}`;
}
