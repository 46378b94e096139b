import { expect, it } from 'vitest';
import { repositoryOf } from '../../../test/init/repository.ts';
import { backingFindings } from './drivers.ts';

const needs = (files: Readonly<Record<string, string>>) =>
  backingFindings(repositoryOf(files)).map(({ text }) => text.split(':')[0]);

it('lists a need of two builds once, with the files that show it', () => {
  const files = { 'pom.xml': 'mysql-connector-j, jedis for redis', 'build.gradle': 'mysql-connector-j' };
  expect(needs(files)).toEqual([
    'the service seems to need MySQL or MariaDB (pom.xml, build.gradle), Redis (pom.xml)',
  ]);
});

it('reports nothing if the service needs nothing', () => {
  expect(needs({ 'package.json': '{}' })).toEqual([]);
  expect(needs({ 'go.mod': 'require (\n\tgithub.com/lib/pq v1.9.0 // indirect\n)\n' })).toEqual([]);
});
