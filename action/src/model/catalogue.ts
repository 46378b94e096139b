import { z } from 'zod';
import { name, oneOrMore } from './config-values.ts';
import type { ExperimentIdentity } from './experiment.ts';
import { type Outcome, outcomeSchema } from './verdict.ts';

/** Stands for every cell. */
export const anyCell = '*';

const cells = z
  .array(
    z
      .string()
      .regex(/^(\*|[\w.-]+(@[\w.-]+)?)$/, 'expected a scenario, a cell such as trip-edit@peak, or `*`'),
  )
  .default([]);

const regressionSchema = z
  .strictObject({
    title: z.string().min(1).describe('What the patch does, in a few words.'),
    story: z.string().min(1).optional().describe('The story of a field report that it repeats.'),
    suite: name.default('pr').describe('The suite that is checked.'),
    expect: z
      .enum(['regression', 'pass', 'invalid'])
      .default('regression')
      .describe('How the check should end. `pass` includes coarse passes.'),
    red: cells.describe(
      'Scenarios and cells that must regress; `*` is any. Once one does, others only have to look worse, because the check may not measure them again.',
    ),
    green: cells.describe('Scenarios and cells that must not regress; `*` is all.'),
    cause: oneOrMore(z.string().min(1)).describe(
      'Words of the verdict that name the cause: one of them has to be in it. For `invalid`, the code of the reason.',
    ),
    corrected: z
      .boolean()
      .default(false)
      .describe(
        'Whether the patch or what is expected of it was changed after a check. A check that meets it then confirms only the correction.',
      ),
    because: z
      .string()
      .min(1)
      .optional()
      .describe('Why a check does not show it, and what does. Required where no regression is expected.'),
  })
  .superRefine(({ expect, red, cause, because }, { addIssue }) => {
    const lacks = (key: string, message: string) => addIssue({ code: 'custom', path: [key], message });
    if (expect === 'regression' && red.length === 0) lacks('red', 'expected what must turn red');
    if (expect !== 'pass' && cause.length === 0)
      lacks('cause', 'expected words that the verdict has for the cause');
    if (expect !== 'regression' && because === undefined)
      lacks('because', 'expected why no regression is expected');
  });

/** What a folder of regressions holds: one patch NAME.patch for each name. */
export const catalogueSchema = z.strictObject({
  version: z.literal(1).describe('Version of this format.'),
  regressions: z.record(name, regressionSchema).describe('Expectations, by the name of the patch.'),
});

export type Regression = z.output<typeof regressionSchema>;
/** `regressions.yml`, with its defaults filled in. */
export type Catalogue = z.output<typeof catalogueSchema>;

/**
 * caught: what should turn red did, nothing else that must not, and the verdict names the cause.
 * as expected: no regression was expected, and there is none.
 * no answer: noise, undecided, or invalid where that is not expected.
 * failed: the patch could not be applied, built or measured.
 */
const judgements = {
  caught: 'right',
  'as expected': 'right',
  missed: 'wrong',
  'wrongly red': 'wrong',
  'wrong scenario': 'wrong',
  'wrong cause': 'wrong',
  'no answer': 'open',
  failed: 'open',
} as const;
export type CatalogueResult = keyof typeof judgements;
export const catalogueResults = Object.keys(judgements) as CatalogueResult[];

/** Whether it is one of the results that the catalogue exists to rule out. */
export function isBad({ result }: Pick<CatalogueRow, 'result'>): boolean {
  return judgements[result] === 'wrong';
}

/** Whether measuring it again may give another result, and no earlier one is worth keeping. */
export function isOpen({ result }: Pick<CatalogueRow, 'result'>): boolean {
  return judgements[result] === 'open';
}

/** One regression, and what its check said. */
export interface CatalogueRow extends Pick<Regression, 'title' | 'story' | 'suite' | 'expect' | 'because'> {
  readonly name: string;
  readonly result: CatalogueResult;
  /** Absent if there was no verdict. */
  readonly outcome?: Outcome;
  /** What had to turn red. */
  readonly wanted: readonly string[];
  /** What turned red: cells, and scenarios or `*` if only the group did. */
  readonly red: readonly string[];
  /** Cells that looked worse and were not re-measured; absent if there is none. */
  readonly spared?: readonly string[];
  /** Why the result is not the expected one, or why there is none; absent if it is. */
  readonly why?: string;
  /** What the verdict names as the cause: the expected words if it has them, or else its first sentence about it. */
  readonly cause?: string;
  /** Wall time of the check. */
  readonly minutes?: number;
  /** ISO 8601, UTC. */
  readonly measuredAt?: string;
  /** That the patch was applied to. */
  readonly commit?: string;
  readonly machine?: ExperimentIdentity['machine'];
}

/** What catalogue.json holds. */
export interface CatalogueReport extends ExperimentIdentity {
  readonly schema: 1;
  readonly rows: readonly CatalogueRow[];
  /** How many of the named regressions have no row yet. */
  readonly left: number;
}

/** The newest verdict on a regression, with what it was found on. */
const catalogueResultSchema = z.strictObject({
  result: z.enum(catalogueResults),
  outcome: outcomeSchema,
  red: z.array(z.string()),
  spared: z.array(z.string()).optional(),
  cause: z.string().optional(),
  why: z.string().optional(),
  minutes: z.number().min(0),
  measuredAt: z.iso.datetime(),
  /** That the patch was applied to. */
  commit: z.string(),
  machine: z.strictObject({ cpuModel: z.string(), cpuCount: z.number(), memoryGiB: z.number() }),
});

/** What `gate catalogue --write` keeps next to the patches, by the name of the patch. */
export const keptCatalogueSchema = z.strictObject({
  schema: z.literal(1),
  results: z.record(name, catalogueResultSchema),
});
export type KeptCatalogue = z.output<typeof keptCatalogueSchema>;
