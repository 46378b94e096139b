import { readFileSync } from 'node:fs';
import { readKernelFile } from '../machine/index.ts';

/** The first bytes of a JVM's performance counters. The rest is in the machine's byte order. */
const magic = 0xcafec0c0;
const littleEndian = 1;
const prologueBytes = 32;
const entryBytes = 20;
/** The type of a 64-bit number, as in Java's own descriptors. */
const longType = 'J'.charCodeAt(0);

/**
 * Reads a JVM's 64-bit counters by name from the file that it shares with tools such as jstat (HotSpot's
 * `perfMemory.hpp` and `perfData.hpp`). Returns none for any other file, or one that is incomplete.
 */
export function parseJvmCounters(bytes: Buffer): ReadonlyMap<string, number> {
  const counters = new Map<string, number>();
  if (bytes.length < prologueBytes || bytes.readUInt32BE(0) !== magic) return counters;
  const isLittle = bytes.readUInt8(4) === littleEndian;
  const int = (at: number) => (isLittle ? bytes.readInt32LE(at) : bytes.readInt32BE(at));
  const long = (at: number) => Number(isLittle ? bytes.readBigInt64LE(at) : bytes.readBigInt64BE(at));
  let at = int(24);
  for (let left = int(28); left > 0 && at >= prologueBytes && at + entryBytes <= bytes.length; left -= 1) {
    const length = int(at);
    if (length < entryBytes || at + length > bytes.length) break;
    const nameAt = at + int(at + 4);
    const dataAt = at + int(at + 16);
    const isWithin = nameAt >= at && dataAt >= at && dataAt + 8 <= at + length;
    const nameEnd = isWithin ? bytes.indexOf(0, nameAt) : -1;
    if (bytes.readUInt8(at + 12) === longType && nameEnd >= 0) {
      counters.set(bytes.toString('latin1', nameAt, nameEnd), long(dataAt));
    }
    at += length;
  }
  return counters;
}

/**
 * Milliseconds that the JITs of the JVMs among those processes have compiled so far, as their `CompilationMXBean`
 * reports. Undefined if none of them is a JVM with readable counters.
 */
export function readCompileMs(pids: readonly number[]): number | undefined {
  const known = pids.flatMap((pid) => {
    const counters = countersOf(pid);
    const ticks = counters?.get('java.ci.totalTime');
    const ticksPerSecond = counters?.get('sun.os.hrt.frequency') ?? 0;
    return ticks === undefined || ticksPerSecond <= 0 ? [] : [(ticks / ticksPerSecond) * 1000];
  });
  return known.length === 0 ? undefined : known.reduce((sum, ms) => sum + ms, 0);
}

/** Takes the file that the process has mapped: a file named after its pid may be left over from another process. */
function countersOf(pid: number): ReadonlyMap<string, number> | undefined {
  const path = /\/\S*\/hsperfdata_[^/\n]+\/\d+$/m.exec(readKernelFile(`/proc/${pid}/maps`) ?? '')?.[0];
  if (path === undefined) return undefined;
  try {
    return parseJvmCounters(readFileSync(`/proc/${pid}/root${path}`));
  } catch (error) {
    // The process has ended, or belongs to another user: its counters are unknown.
    const { code = '' } = error as NodeJS.ErrnoException;
    if (['ENOENT', 'ESRCH', 'EACCES'].includes(code)) return undefined;
    throw error;
  }
}
