import type { BothRates, Detection, RuleAnswers } from '../../model/detection.ts';
import { couldNotShare, rateText, shareText, table, titleOf } from './detection-cells.ts';

const outcomeColumns = ['red', 're-measured', 'pass in full', 'coarse', 'could not', 'runs or pairs'];

function outcomeCells(answers: RuleAnswers): readonly string[] {
  const { red, suspect, outcomes, runs } = answers;
  return [
    rateText(red),
    ...[suspect, outcomes.pass ?? 0, outcomes.coarse ?? 0, couldNotShare(answers)].map(shareText),
    runs === undefined ? '' : String(runs),
  ];
}

export function unchangedTable(found: Detection): string {
  return table([
    ['rule', ...outcomeColumns, 'red by TPS alone', 'minutes'],
    ...found.unchanged
      .filter(({ regime }) => regime === 'all')
      .map((answers) => {
        const alone = found.byThroughput.find(({ rule }) => rule === answers.rule);
        return [
          titleOf(found, answers.rule),
          ...outcomeCells(answers),
          alone === undefined ? '' : shareText(alone.red.rate),
          answers.minutes.toFixed(1),
        ];
      }),
  ]);
}

export function regimesTable(found: Detection): string {
  return table(
    [
      ['regime', 'rule', ...outcomeColumns],
      ...found.unchanged
        .filter(({ regime }) => regime !== 'all')
        .map((answers) => [answers.regime, titleOf(found, answers.rule), ...outcomeCells(answers)]),
    ],
    2,
  );
}

const kindTitles: Readonly<Record<string, string>> = {
  cpu: 'One cell costs more CPU and takes longer',
  waiting: 'One cell waits longer, at the same CPU',
  tail: 'Only p95 and beyond of one cell take longer',
  endpoint: 'One endpoint of one cell takes longer',
  counts: 'One cell needs more SQL statements per request, at the same time',
};

/** A table per kind of effect: rules down, sizes across. */
export function powerTables(found: Detection): string {
  const rules = found.rules.map(({ name }) => name);
  const scenes = [...new Set(found.power.map(({ scene }) => scene))];
  const redOf = (scene: string, rule: string) =>
    found.power.find((one) => one.scene === scene && one.rule === rule)?.red;
  const everywhere = scenes.filter((scene) => scene.endsWith('everywhere'));
  const blocks = Object.entries(kindTitles).map(([kind, title]) => ({
    title,
    columns: scenes.filter((scene) => scene.startsWith(`${kind} `) && !everywhere.includes(scene)),
    heading: (scene: string) => `+${scene.slice(kind.length + 1)}`,
  }));
  const all = [
    ...blocks,
    {
      title: 'All cells change',
      columns: everywhere,
      heading: (scene: string) => scene.replace(' everywhere', '').replace(' ', ' +'),
    },
  ];
  return all
    .filter(({ columns }) => columns.length > 0)
    .map(({ title, columns, heading }) =>
      [
        `### ${title}`,
        '',
        table([
          ['rule', ...columns.map(heading)],
          ...rules.map((rule) => [
            titleOf(found, rule),
            ...columns.map((scene) => {
              const red = redOf(scene, rule);
              return red === undefined ? '' : rateText(red);
            }),
          ]),
        ]),
      ].join('\n'),
    )
    .join('\n\n');
}

export function equalTable(found: Detection): string {
  if (found.equal.length === 0)
    return 'Too few runs are recorded to set limits in one half and test them in the other.';
  const both = (rates: BothRates | undefined) =>
    rates === undefined ? ['', ''] : [rateText(rates.falseAlarms), rateText(rates.power)];
  return table([
    [
      'rule',
      'as it is: unchanged red',
      'as it is: +10% red',
      'equal false alarms: unchanged red',
      '+10% red',
      'equal power: unchanged red',
      '+10% red',
    ],
    ...found.equal.map(({ rule, asItIs, atFalseAlarms, atPower }) => [
      titleOf(found, rule),
      ...both(asItIs),
      ...both(atFalseAlarms),
      ...both(atPower),
    ]),
  ]);
}

export function leversTable({ levers }: Detection): string {
  const scenes = [...new Set(levers.map(({ scene }) => scene))];
  const rows = Map.groupBy(levers, ({ title }) => title);
  return table([
    ['without', ...scenes],
    ...[...rows].map(([title, all]) => [
      title,
      ...scenes.map((scene) => {
        const one = all.find((row) => row.scene === scene);
        return one === undefined ? '' : shareText(one.red.rate);
      }),
    ]),
  ]);
}

/** A row per change, with what this project's rule says, and the names of the peers that say the same or something else. */
export function changesTable({ changes, rules }: Detection): string {
  const answers = [...new Set(['red', 'not red', ...changes.map(({ answer }) => answer)])];
  const isOwn = (name: string) => rules.some((rule) => rule.name === name && rule.source === undefined);
  const listed = (all: readonly string[]) => [...new Set(all)].join(', ');
  const peers = changes.filter(({ rule }) => !isOwn(rule));
  const columns = answers.filter((answer) => peers.some((one) => one.answer === answer));
  return table([
    ['change', 'perf-gate', ...columns.map((answer) => `peers: ${answer}`)],
    ...[...Map.groupBy(changes, ({ change }) => change)].map(([change, all]) => [
      change,
      listed(all.filter(({ rule }) => isOwn(rule)).map(({ answer }) => answer)),
      ...columns.map((answer) =>
        listed(
          all.filter((one) => !isOwn(one.rule) && one.answer === answer).map(({ rule }) => `\`${rule}\``),
        ),
      ),
    ]),
  ]);
}

export function seriesTable({ series }: Detection): string {
  return table([
    ['rule and change', 'series', 'false alarms', 'found within 5 runs', 'within 20', 'median delay'],
    ...series.map(({ title, scene, series: count, falseAlarms, within5, within20, medianDelay }) => [
      `${title}, ${scene}`,
      String(count),
      shareText(falseAlarms),
      scene === 'unchanged' ? '' : shareText(within5),
      scene === 'unchanged' ? '' : shareText(within20),
      medianDelay === undefined ? '' : `${medianDelay} runs`,
    ]),
  ]);
}
