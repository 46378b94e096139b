import { describe, expect, it } from 'vitest';
import { checkCommandIn, gateCommand } from './gate-command.ts';

describe('the command of a next step', () => {
  it.each([
    ["the launcher's own folder", '/src/perf-gate', './gate check'],
    ['a folder of that checkout', '/src/perf-gate/action', '../gate check'],
    ['the folder above', '/src', './perf-gate/gate check'],
    ['a checkout next to it', '/src/shop', '../perf-gate/gate check'],
    ['a checkout far from it', '/home/me/code/teams/shop', '/src/perf-gate/gate check'],
  ])('is one that can be typed in %s', (_, workingDirectory, command) => {
    expect(gateCommand({ gateDirectory: '/src/perf-gate', workingDirectory }, 'check')).toBe(command);
  });

  it('names the configuration unless it is the default one', () => {
    const place = { gateDirectory: '/g', workingDirectory: '/g' };
    expect(gateCommand(place, 'baseline', 'perf/gate.yml')).toBe('./gate baseline');
    expect(gateCommand(place, 'baseline', 'load/gate.yml')).toBe('./gate baseline --config load/gate.yml');
  });

  it('is one word a path, whatever the path holds', () => {
    const place = { gateDirectory: "/it's here/$(x)", workingDirectory: '/elsewhere/deep/down/in/a/tree' };
    expect(gateCommand(place, 'check', 'a b.yml')).toBe(
      `'/it'\\''s here/$(x)/gate' check --config 'a b.yml'`,
    );
  });
});

it('is the command of the package where npm installed it', () => {
  const gateDirectory = '/home/me/.npm/_npx/1a/node_modules/perf-gate';
  expect(gateCommand({ gateDirectory, workingDirectory: '/src/shop' }, 'check', 'load/gate.yml')).toBe(
    'npx perf-gate check --config load/gate.yml',
  );
});

describe('the command for whoever has a checkout', () => {
  it('exists if the checkout contains the gate, at its top or below', () => {
    expect(checkCommandIn('/checkouts', '/checkouts', 'perf/gate.yml')).toBe('./gate check');
    expect(checkCommandIn('/checkouts', '/checkouts', 'perf/gate.yml', 'peak')).toBe(
      './gate check --suite peak',
    );
    expect(checkCommandIn('/checkouts', '/checkouts/tools/gate', 'gate.yml')).toBe(
      './tools/gate/gate check --config gate.yml',
    );
  });

  it('is none where a runner keeps the gate for itself', () => {
    expect(
      checkCommandIn('/checkouts/shop', '/checkouts/_actions/o/perf-gate/v1', 'perf/gate.yml'),
    ).toBeUndefined();
  });

  it('is none where a reusable workflow keeps the gate in the workspace', () => {
    expect(
      checkCommandIn('/checkouts/shop', '/checkouts/shop/.perf-gate-action', 'perf/gate.yml'),
    ).toBeUndefined();
  });
});
