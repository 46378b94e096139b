import { markdownTable } from 'markdown-table';
import { machineReadings, pageReadings, readingGroups } from '../src/model/reading.ts';
import { code, plain } from './action-tables.ts';

const units: Readonly<Record<string, string>> = { share: 'share of the machine, 0 to 1', '': 'number' };

/** Every reading of the series, with its unit and where it comes from. */
export function readingsTable(): string {
  const rows = [
    ...Object.entries(machineReadings).map(([name, { title, group, unit }]) => [
      name,
      `${readingGroups[group]}: ${title}`,
      unit,
      'the machine',
    ]),
    ...Object.entries(pageReadings).map(([name, { title, group, unit, series, kind, ...others }]) => [
      name,
      `${readingGroups[group]}: ${title}`,
      unit,
      [`${kind} of ${series.map(code).join(' + ')}`, ...('less' in others ? others.less.map(code) : [])].join(
        ' - ',
      ),
    ]),
  ];
  return markdownTable(
    [
      ['name', 'reading', 'unit', 'from'],
      ...rows.map(([name = '', title = '', unit = '', from = '']) => [
        code(name),
        title,
        units[unit] ?? unit,
        from,
      ]),
    ],
    plain,
  );
}
