import { z } from 'zod';

/** Dips that are kept of one load. */
export const mostDips = 20;

/** Growth over the whole time that is large, relative to the level: a heap wanders by a few percent without a leak. */
export const largeGrowth = 0.075;

/** Some seconds in a row with far less throughput than usual. */
export const dipSchema = z.strictObject({
  startedAt: z.iso.datetime(),
  seconds: z.number().int().positive(),
  /** Mean over its seconds. */
  tps: z.number().min(0),
  /** The longest p95 of its seconds; absent if nothing was answered. */
  p95Ms: z.number().min(0).optional(),
});
export type Dip = z.infer<typeof dipSchema>;

/** What is followed over the time of a long load. Times are in milliseconds, memory in bytes. */
export const courseQuantities = ['p95', 'serviceMemory', 'liveHeap'] as const;
export type CourseQuantity = (typeof courseQuantities)[number];

/** How one quantity moved over the time of a long load. */
export const courseTrendSchema = z.strictObject({
  of: z.enum(courseQuantities),
  /** Value in the middle of the time. */
  level: z.number(),
  /** Growth per minute, with its 95% interval. */
  perMinute: z.strictObject({ value: z.number(), low: z.number(), high: z.number() }),
});
export type CourseTrend = z.infer<typeof courseTrendSchema>;

/** What happened over the counted time of a long load. */
export const courseSchema = z.strictObject({
  /** Minutes that were counted. */
  minutes: z.number().min(0),
  /** Median requests per second over all seconds. */
  usualTps: z.number().min(0),
  /** In order of time; at most 20. */
  dips: z.array(dipSchema).max(mostDips),
  trends: z.array(courseTrendSchema).max(courseQuantities.length),
});
export type Course = z.infer<typeof courseSchema>;
