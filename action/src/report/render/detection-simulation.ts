import type { BothRates, Detection } from '../../model/detection.ts';
import { couldNotShare, rateText, shareText, table, titleOf } from './detection-cells.ts';

/** Rules down and worlds across would be too wide, so worlds go down: our rules in detail, then the peers. */
export function simulationTables(found: Detection): string {
  const unchanged = found.simulated.filter(({ scene }) => scene === 'unchanged');
  const worlds = [...new Map(unchanged.map(({ world, title }) => [world, title]))];
  const ofWorld = (world: string, rule: string, isChanged: boolean) =>
    found.simulated.find(
      (one) => one.world === world && one.rule === rule && (one.scene !== 'unchanged') === isChanged,
    );
  const peers = found.rules.filter(({ source }) => source !== undefined);
  const ours = found.rules.filter(({ source }) => source === undefined);
  const detail = ours.map(({ name, title }) =>
    [
      `### ${title}`,
      '',
      table([
        [
          'simulated',
          'checks',
          'unchanged: red',
          're-measured',
          'pass in full',
          'coarse',
          'could not',
          'minutes',
          '+10%: red',
        ],
        ...worlds.map(([world, worldTitle]) => {
          const one = ofWorld(world, name, false);
          if (one === undefined) return [worldTitle];
          return [
            worldTitle,
            String(one.checks),
            rateText(one.red),
            shareText(one.suspect),
            shareText(one.outcomes.pass ?? 0),
            shareText(one.outcomes.coarse ?? 0),
            shareText(couldNotShare(one)),
            one.minutes.toFixed(1),
            shareText(ofWorld(world, name, true)?.red.rate ?? 0),
          ];
        }),
      ]),
    ].join('\n'),
  );
  const others = [
    '### Peers',
    '',
    'Red without a change, and with one cell 10% slower by CPU time:',
    '',
    table([
      ['rule', ...worlds.map(([, title]) => title)],
      ...peers.map(({ name }) => [
        titleOf(found, name),
        ...worlds.map(([world]) => {
          const [quiet, loud] = [ofWorld(world, name, false), ofWorld(world, name, true)];
          return `${shareText(quiet?.red.rate ?? 0)}, ${shareText(loud?.red.rate ?? 0)}`;
        }),
      ]),
    ]),
  ].join('\n');
  return [...detail, others, ...equalInWorlds(found, worlds)].join('\n\n');
}

/** Peers as good as our rule in one respect, world by world: what they do in the other. */
function equalInWorlds(found: Detection, worlds: readonly (readonly [string, string])[]): readonly string[] {
  const rules = [...new Set(found.simulatedEqual.map(({ rule }) => rule))];
  const tableOf = (at: 'atFalseAlarms' | 'atPower') =>
    table([
      ['rule', ...worlds.map(([, title]) => title)],
      ...rules.map((rule) => [
        titleOf(found, rule),
        ...worlds.map(([world]) => {
          const one = found.simulatedEqual.find((row) => row.world === world && row.rule === rule);
          return one === undefined ? '' : bothText(one[at] ?? one.asItIs);
        }),
      ]),
    ]);
  return [
    ['### Peers at equal false alarms', '', bothHeading, '', tableOf('atFalseAlarms')].join('\n'),
    ['### Peers at equal power', '', bothHeading, '', tableOf('atPower')].join('\n'),
  ];
}

const bothHeading =
  'Each entry has two rates: red without a change, and red with one cell 10% slower by CPU time.\nBoth come from checks that did not set the limit:';

function bothText({ falseAlarms, power }: BothRates): string {
  return `${shareText(falseAlarms.rate)}, ${shareText(power.rate)}`;
}
