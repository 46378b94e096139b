import { chosen, field, influxdb, rows } from './influxql.ts';
import { page } from './page.ts';
import { joinedRows, table } from './panels.ts';
import { cells, datasource, gate, ofOneCell, oneCell, run, suite } from './variables.ts';

const sides = [
  { letter: 'A', of: `"run" = '$run_a'` },
  { letter: 'B', of: `"run" = '$run_b'` },
];

const ofCells = [chosen('scenario'), chosen('load')];

interface Compared {
  readonly title: string;
  readonly description: string;
  readonly from: string;
  /** Titles and units of the fields. */
  readonly figures: Readonly<Record<string, { readonly title: string; readonly unit: string }>>;
  readonly where: readonly string[];
  /** Tags that a row is about. */
  readonly by: readonly string[];
}

/** A row per thing with the figures of both runs next to each other. */
function compared({ title, description, from, figures, where, by }: Compared) {
  return joinedRows(
    table({
      title,
      description,
      datasource: influxdb,
      units: Object.fromEntries(
        Object.values(figures).flatMap((figure) =>
          sides.map(({ letter }) => [`${figure.title} ${letter}`, figure.unit] as const),
        ),
      ),
      queries: sides.map(({ letter, of }) =>
        rows(
          {
            select: Object.entries(figures)
              .map(([name, figure]) => field(name, `${figure.title} ${letter}`))
              .join(', '),
            from,
            where: [of, ...where],
            by,
          },
          letter,
        ),
      ),
    }),
  );
}

export const compareDashboard = page({
  name: 'compare',
  title: 'Compare',
  description:
    'Two runs next to each other, such as the runs before and after a release. Choose a time range that has both.',
  from: 'now-90d',
  variables: [
    datasource('influxdb', 'InfluxDB'),
    gate,
    suite,
    run('run_a', 'A'),
    run('run_b', 'B'),
    ...cells('gate_cells'),
    ...oneCell('gate_cells'),
  ],
})
  .withPanel(
    table({
      title: 'Runs',
      description: 'What was decided about the two runs, A first.',
      datasource: influxdb,
      units: { seconds: 's' },
      queries: sides.map(({ letter, of }) =>
        rows(
          {
            select: ['run', 'outcome', 'sentence', 'branch', 'commit', 'seconds']
              .map((name) => field(name))
              .join(', '),
            from: 'gate_runs',
            where: [of],
          },
          letter,
        ),
      ),
    })
      .height(5)
      .withTransformation({ id: 'merge', options: {} }),
  )
  .withPanel(
    compared({
      title: 'Cells',
      description:
        'Head of each run. The two were measured at different times: how fast the machine was then is in the figures.',
      from: 'gate_cells',
      figures: {
        tps: { title: 'TPS', unit: 'reqps' },
        mean_ms: { title: 'mean', unit: 'ms' },
        p95_ms: { title: 'p95', unit: 'ms' },
        p99_ms: { title: 'p99', unit: 'ms' },
        error_rate: { title: 'errors', unit: 'percentunit' },
      },
      where: ofCells,
      by: ['scenario', 'load'],
    }),
  )
  .withPanel(
    compared({
      title: 'Endpoints',
      description: 'Head of each run, in the cell chosen for details.',
      from: 'gate_endpoints',
      figures: {
        mean_ms: { title: 'mean', unit: 'ms' },
        p95_ms: { title: 'p95', unit: 'ms' },
        error_rate: { title: 'errors', unit: 'percentunit' },
      },
      where: ofOneCell,
      by: ['endpoint'],
    }).height(14),
  )
  .withPanel(
    compared({
      title: 'Costs per request',
      description:
        'Counts do not depend on how fast the machine was. The unit is that of the signal in gate.yml.',
      from: 'gate_costs',
      figures: { head: { title: 'cost', unit: 'short' } },
      where: ofCells,
      by: ['scenario', 'load', 'signal', 'unit'],
    }).height(14),
  );
