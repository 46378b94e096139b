import { isLibraryFrame } from '../../model/library-frames.ts';
import type { StackProfile } from '../../model/profile.ts';
import { errorOfGrowth } from '../../model/profile-error.ts';
import type { CodeChange, FrameChange } from '../../model/verdict.ts';
import { normalTail } from '../../stats/index.ts';
import { type FrameWeight, FrameWeights } from './frame-weights.ts';

/** Growth of a share of the CPU that is worth a name: 1.5 percentage points, and a tenth of what it was. */
const leastShareGrowth = 0.015;
const leastRelativeGrowth = 0.1;
/**
 * Growth in milliseconds waited per second, by all threads, that is worth a name. Unchanged code with eight threads on two
 * cores waited between 1 and 52: whoever holds a lock may lose its core meanwhile.
 */
const leastWaitGrowth = 200;
/** Waiting feeds on itself, so it varies more than it changes: head has to wait so many times as long. */
const leastWaitFactor = 3;
/** Fewer samples of a side show nothing. */
const fewestSamples = 100;
/** Chance that a comparison of equal profiles names any own code, and as much for libraries if it does not. */
const errorChance = 0.01;
/** The part of a method's growth that one of its callees explains, so that the callee is named instead. */
const explainingShare = 0.8;
/** The part of a method's growth that its own caller lost elsewhere, so that it only moved. */
const movedShare = 0.5;
const mostNamed = 3;

/** The methods whose part in the CPU, or in waiting, grew from base to head beyond chance. */
export function compareProfiles(base: StackProfile, head: StackProfile): Pick<CodeChange, 'cpu' | 'locks'> {
  return {
    cpu: base.sampledBy === head.sampledBy ? grownShares(base, head) : [],
    locks: grownWaits(base, head),
  };
}

interface Contrast {
  /** The frames that are tested. */
  readonly isNamed: (frame: string) => boolean;
  readonly base: FrameWeights;
  readonly head: FrameWeights;
  /** The figures that are reported. */
  readonly figures: (frame: string) => Pick<FrameChange, 'base' | 'head'>;
  /** Whether frames of these weights can be told apart at all, if they differ. */
  readonly isTested: (base: FrameWeight, head: FrameWeight) => boolean;
  readonly isWorthAName: (base: FrameWeight, head: FrameWeight) => boolean;
  /** Chance of such a growth, or a larger one, if nothing changed. */
  readonly chance: (base: FrameWeight, head: FrameWeight) => number;
}

function isOwnFrame(frame: string): boolean {
  return !isLibraryFrame(frame);
}

/** Own code, or libraries if none of it grew. */
function grownShares(baseProfile: StackProfile, headProfile: StackProfile): FrameChange[] {
  const base = new FrameWeights(baseProfile, baseProfile.cpu);
  const head = new FrameWeights(headProfile, headProfile.cpu);
  if (Math.min(base.total, head.total) < fewestSamples) return [];
  const lengthRatio = headProfile.seconds / baseProfile.seconds;
  const own = grown(contrastOfShares(base, head, lengthRatio, isOwnFrame));
  if (own.length > 0) return own;
  return grown(contrastOfShares(base, head, lengthRatio, isLibraryFrame), (frame) =>
    isMoved(frame, base, head),
  );
}

/**
 * Whether a library's method only took over samples of others below the same own method. The JVM assigns samples of inlined
 * methods roughly, and every boot inlines differently. The rest of the own method then shrank against all that is outside it,
 * beyond chance and by enough of what the method gained.
 */
function isMoved(frame: string, base: FrameWeights, head: FrameWeights): boolean {
  const own = head.callerOf(frame, (name) => isOwnFrame(name) && base.of(name).weight > 0);
  if (own === null) return false;
  const partsOf = (side: FrameWeights) => ({
    rest: side.holding(own, frame),
    outside: side.total - side.of(own).weight,
  });
  const [before, after] = [partsOf(base), partsOf(head)];
  const gained = head.of(frame).weight - (base.of(frame).weight * head.total) / base.total;
  const lost = (before.rest * after.outside) / before.outside - after.rest;
  const chance = chanceOfGrowth(
    after.rest,
    after.rest + after.outside,
    before.rest,
    before.rest + before.outside,
  );
  return lost >= movedShare * gained && chance < errorChance;
}

function contrastOfShares(
  base: FrameWeights,
  head: FrameWeights,
  lengthRatio: number,
  isNamed: Contrast['isNamed'],
): Contrast {
  const [before, after] = [base.total, head.total];
  return {
    isNamed,
    base,
    head,
    figures: (frame) => ({ base: base.of(frame).weight / before, head: head.of(frame).weight / after }),
    isTested: (b, h) => (b.weight + h.weight) / (before + after) >= leastShareGrowth / 2,
    isWorthAName: (b, h) => {
      const [shareBefore, shareAfter] = [b.weight / before, h.weight / after];
      // A share also grows if all other code does less, as behind a slow database.
      const rateGrowth = h.weight / lengthRatio - b.weight;
      return (
        shareAfter - shareBefore >= Math.max(leastShareGrowth, leastRelativeGrowth * shareBefore) &&
        rateGrowth >= leastShareGrowth * before
      );
    },
    chance: (b, h) => chanceOfGrowth(b.weight, before, h.weight, after),
  };
}

/** Chance that a share of the samples grows so much from one boot to another, or more, if nothing changed. */
function chanceOfGrowth(part: number, of: number, laterPart: number, laterOf: number): number {
  if (of === 0 || laterOf === 0) return 1;
  const [share, later] = [part / of, laterPart / laterOf];
  const error = errorOfGrowth({ share, samples: of }, { share: later, samples: laterOf });
  return error === 0 ? 1 : normalTail((later - share) / error);
}

/** Waits of exponential length that begin at random times: a sum of about n such waits has the variance 2 sum^2 / n. */
function variance({ weight, count }: FrameWeight): number {
  return count === 0 ? 0 : (2 * weight ** 2) / count;
}

/** In own code alone: an idle thread also waits, in a library. */
function grownWaits(baseProfile: StackProfile, headProfile: StackProfile): FrameChange[] {
  const base = new FrameWeights(baseProfile, baseProfile.locks);
  const head = new FrameWeights(headProfile, headProfile.locks);
  const [before, after] = [baseProfile.seconds, headProfile.seconds];
  return grown({
    isNamed: isOwnFrame,
    base,
    head,
    figures: (frame) => ({ base: base.of(frame).weight / before, head: head.of(frame).weight / after }),
    isTested: (b, h) => (b.weight + h.weight) / (before + after) >= leastWaitGrowth / 2,
    isWorthAName: (b, h) => {
      const [waitBefore, waitAfter] = [b.weight / before, h.weight / after];
      return waitAfter - waitBefore >= leastWaitGrowth && waitAfter >= leastWaitFactor * waitBefore;
    },
    chance: (b, h) => {
      const error = Math.hypot(Math.sqrt(variance(b)) / before, Math.sqrt(variance(h)) / after);
      return error === 0 ? 1 : normalTail((h.weight / after - b.weight / before) / error);
    },
  });
}

/** The frames that grew, without those left out, and without callers whose growth a callee explains. */
function grown(contrast: Contrast, isLeftOut: (frame: string) => boolean = () => false): FrameChange[] {
  const { head, isNamed, figures } = contrast;
  const candidates = provedFrames(contrast).filter((frame) => !isLeftOut(frame));
  return candidates
    .filter((frame) => !isExplained(frame, candidates, contrast))
    .map((frame): FrameChange => {
      const caller = head.callerOf(frame, (name) => name !== frame && isNamed(name));
      return { frame, caller, ...figures(frame) };
    })
    .toSorted((a, b) => b.head - b.base - (a.head - a.base))
    .slice(0, mostNamed);
}

/** Holm's (1979) step-down correction over all frames that are common enough to be told apart. */
function provedFrames({ base, head, isNamed, isTested, isWorthAName, chance }: Contrast): readonly string[] {
  const tests = [...new Set([...base.names, ...head.names])]
    .filter(isNamed)
    .map((frame) => ({ frame, of: [base.of(frame), head.of(frame)] as const }))
    .filter(({ of }) => isTested(...of))
    .map(({ frame, of }) => ({ frame, of, chance: chance(...of) }))
    .toSorted((a, b) => a.chance - b.chance);
  const failed = tests.findIndex((test, index) => test.chance > errorChance / (tests.length - index));
  return tests
    .slice(0, failed < 0 ? tests.length : failed)
    .filter(({ of }) => isWorthAName(...of))
    .map(({ frame }) => frame);
}

/** Whether one of the other frames that the frame calls grew by as much below it. */
function isExplained(frame: string, others: readonly string[], { base, head, figures }: Contrast): boolean {
  const [before, after] = [base.below(frame), head.below(frame)];
  const own = figures(frame);
  const growth = own.head - own.base;
  // The figures are weights over a total, which the weights below the frame share.
  const scale = (weights: FrameWeights, figure: number) => {
    const { weight } = weights.of(frame);
    return weight === 0 ? 0 : figure / weight;
  };
  const [perBase, perHead] = [scale(base, own.base), scale(head, own.head)];
  return others.some((other) => {
    const part = (after.get(other)?.weight ?? 0) * perHead - (before.get(other)?.weight ?? 0) * perBase;
    return part >= explainingShare * growth;
  });
}
