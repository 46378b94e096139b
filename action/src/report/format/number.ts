import type { Estimate } from '../../model/estimate.ts';

/** The one place where numbers become text. NaN and infinite figures read `n/a`. */

const missing = 'n/a';

const formats = [0, 1, 2].map(
  (decimals) =>
    new Intl.NumberFormat('en-US', {
      minimumFractionDigits: decimals,
      maximumFractionDigits: decimals,
      signDisplay: 'negative',
    }),
);

/** Commas for thousands, 0 to 2 decimals, never `-0`. */
function fixed(value: number, decimals: number): string {
  return formats[decimals]?.format(value) ?? missing;
}

/** Decimals that show three significant digits. */
function decimalsOf(value: number): number {
  const shown = Math.abs(Number(value.toPrecision(3)));
  if (shown >= 100 || shown === 0) return 0;
  if (shown >= 10) return 1;
  return 2;
}

function signed(value: number, text: string): string {
  return value > 0 && /[1-9]/.test(text) ? `+${text}` : text;
}

function withoutZeros(text: string): string {
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text;
}

/** `0.84`, `12.3`, `1,234`: milliseconds without their unit. */
export function formatMsFigure(ms: number): string {
  if (!Number.isFinite(ms)) return missing;
  if (ms > 0 && ms < 0.005) return '<0.01';
  return fixed(ms, decimalsOf(ms));
}

/** `0.84 ms`, `12.3 ms`, `1,234 ms`. */
export function formatMs(ms: number): string {
  return Number.isFinite(ms) ? `${formatMsFigure(ms)} ms` : missing;
}

/** `+312 ms`. */
export function formatMsChange(ms: number): string {
  return Number.isFinite(ms) ? `${signed(ms, fixed(ms, decimalsOf(ms)))} ms` : missing;
}

/** Requests per second: `0.84`, `42.1`, `1,020`. */
export function formatTps(tps: number): string {
  return Number.isFinite(tps) ? fixed(tps, decimalsOf(tps)) : missing;
}

/** `30,512`. */
export function formatCount(count: number): string {
  return Number.isFinite(count) ? fixed(count, 0) : missing;
}

/** 0.123 as `+12.3%`, 0.48 as `+48%`: tenths only for small changes. */
export function formatChange(change: number): string {
  if (!Number.isFinite(change)) return missing;
  const percent = Number((change * 100).toPrecision(12));
  const tenths = Math.abs(percent) < 19.95 && !Number.isInteger(percent);
  return `${signed(percent, fixed(percent, tenths ? 1 : 0))}%`;
}

/** -0.21, -0.16 as `[-21, -16]`, in percent or percentage points. */
export function formatInterval(low: number, high: number): string {
  if (!Number.isFinite(low) || !Number.isFinite(high)) return missing;
  const widest = Math.max(Math.abs(low), Math.abs(high)) * 100;
  const decimals = widest < 0.995 ? 2 : widest < 9.95 ? 1 : 0;
  const bound = (value: number) => signed(value, fixed(value * 100, decimals));
  return `[${bound(low)}, ${bound(high)}]`;
}

/** `[413, 447]`, or `[?]` if the interval has no bound. */
export function interval({ low, high }: Estimate, say: (value: number) => string): string {
  return Number.isFinite(high) ? `[${say(low)}, ${say(high)}]` : '[?]';
}

/** `430 [413, 447]`. */
export function withInterval(estimate: Estimate, say: (value: number) => string): string {
  return `${say(estimate.value)} ${interval(estimate, say)}`;
}

/** 0.71 as `71%`, 0.004 as `0.4%`, 0.0002 as `0.02%`. */
export function formatShare(share: number): string {
  if (!Number.isFinite(share)) return missing;
  const percent = Math.abs(share * 100);
  if (percent > 0 && percent < 0.005) return '<0.01%';
  const decimals = percent < 0.995 ? 2 : percent < 9.95 ? 1 : 0;
  return `${withoutZeros(fixed(share * 100, decimals))}%`;
}

/** A difference of shares in percentage points: 0.004 as `+0.4 pp`. */
export function formatPoints(difference: number): string {
  if (!Number.isFinite(difference)) return missing;
  const points = difference * 100;
  return `${signed(points, withoutZeros(fixed(points, Math.abs(points) < 0.995 ? 2 : 1)))} pp`;
}

/** `512 B`, `1.5 KiB`, `23.4 MiB`. */
export function formatBytes(bytes: number): string {
  if (!Number.isFinite(bytes)) return missing;
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let value = bytes;
  let unit = 0;
  // 1023.5 would round to 1,024 of the smaller unit.
  while (Math.abs(value) >= 1023.5 && unit < units.length - 1) {
    value /= 1024;
    unit++;
  }
  const figure = withoutZeros(fixed(value, unit === 0 ? 0 : decimalsOf(value)));
  return `${figure} ${units[unit]}`;
}

/** `+1.5 KiB`. */
export function formatBytesChange(bytes: number): string {
  return signed(bytes, formatBytes(bytes));
}

/** `4.2 s`, `42 s`, `5 min 12 s`, `1 h 5 min`. */
export function formatSeconds(seconds: number): string {
  if (!Number.isFinite(seconds)) return missing;
  if (seconds < 9.95) return `${fixed(seconds, 1)} s`;
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  if (whole < 3600)
    return whole % 60 === 0 ? `${whole / 60} min` : `${Math.floor(whole / 60)} min ${whole % 60} s`;
  const minutes = Math.round(seconds / 60);
  const rest = minutes % 60;
  return rest === 0
    ? `${formatCount(minutes / 60)} h`
    : `${formatCount(Math.floor(minutes / 60))} h ${rest} min`;
}

/** A figure with the unit that its source names: `20,031`, `1.25 ms`, `3.2 KiB`, `0.42 cores`. */
export function formatAmount(value: number, unit: string): string {
  if (!Number.isFinite(value)) return missing;
  if (unit === 'ms') return formatMs(value);
  if (unit === 'bytes' || unit === 'B') return formatBytes(value);
  const figure = withoutZeros(
    Math.abs(value) < 0.01 && value !== 0
      ? String(Number(value.toPrecision(2)))
      : fixed(value, decimalsOf(value)),
  );
  if (unit === '%') return `${figure}%`;
  return unit === '' ? figure : `${figure} ${unit}`;
}
