import { abortOnSignals } from './interrupts.ts';
import { runProgram, type Terminal } from './program.ts';
import { readSettings } from './settings.ts';

const print = (text: string) => process.stderr.write(`${text}\n`);
const terminal: Terminal = {
  onProgress: (event) => print(JSON.stringify(event)),
  showResult: ({ verdict, stored }) => {
    for (const c of verdict.cells) print(JSON.stringify({ cell: `${c.scenario}@${c.load}`, ...c.head, o: c.outcome }));
    print(`${verdict.outcome} ${JSON.stringify(verdict.comparison).slice(0, 200)} stored=${stored} ${verdict.seconds}`);
  },
  showFault: (fault) => print(JSON.stringify(fault.details, null, 1)),
  showEnd: print,
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
};
const { signal, dispose } = abortOnSignals(process, (name) => print(`${name}: stopping`));
process.exitCode = await runProgram(process.argv.slice(2), {
  settings: readSettings(process.env, process.cwd()),
  terminal,
  signal,
});
dispose();
