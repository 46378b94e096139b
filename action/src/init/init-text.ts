import { type Paint, plainText, type Style, wrap } from '../report/index.ts';
import type { Finding } from './finding.ts';
import type { InitPlan } from './init-plan.ts';

export interface InitTextOptions {
  readonly width: number;
  readonly paint: Paint;
  /** The command that measures the service with the new files. */
  readonly check: string;
  /** Returns the path of a new file as the user would type it. */
  readonly pathOf: (file: string) => string;
}

const styles: Readonly<Record<Finding['kind'] | 'wrote', Style>> = {
  found: 'green',
  guessed: 'yellow',
  edit: 'cyan',
  wrote: 'bold',
};
const labelWidth = 9;
const maxWidth = 140;

/** Prints a line for each finding, each new file and each edit left to do, then the next command. */
export function initText({ files, findings, branch }: InitPlan, options: InitTextOptions): string {
  const { paint, check, pathOf } = options;
  const width = Math.min(options.width, maxWidth);
  const line = (label: keyof typeof styles, text: string) => {
    const [first = '', ...rest] = wrap(plainText(text), width, ' '.repeat(labelWidth));
    return [`${paint(styles[label], label)}${first.slice(label.length)}`, ...rest];
  };
  const findingLines = (...kinds: readonly Finding['kind'][]) =>
    findings.filter(({ kind }) => kinds.includes(kind)).flatMap(({ kind, text }) => line(kind, text));
  return [
    ...findingLines('found', 'guessed'),
    ...files.flatMap(({ path }) => line('wrote', pathOf(path))),
    ...findingLines('edit'),
    '',
    // Users copy the command, so it stays on one line.
    `${paint('bold', 'next:')} ${plainText(check)}`,
    ...wrap(
      `then commit the files: the first push to ${plainText(branch)} records the baseline for pull requests. Require the status \`perf-gate (pr)\` in the rules of ${plainText(branch)}`,
      width,
      ' '.repeat('next: '.length),
    ),
    '',
  ].join('\n');
}
