import { expect, it } from 'vitest';
import { repositoryOf } from '../../../test/init/repository.ts';
import { backingFindings } from './drivers.ts';

const told = (files: Readonly<Record<string, string>>) =>
  backingFindings(repositoryOf(files)).map(({ text }) => text.split(':')[0]);

it('names what two builds of one service need once, with what says so', () => {
  const files = { 'pom.xml': 'mysql-connector-j, jedis for redis', 'build.gradle': 'mysql-connector-j' };
  expect(told(files)).toEqual(['it seems to need MySQL or MariaDB (pom.xml, build.gradle), Redis (pom.xml)']);
});

it('is silent where nothing is needed', () => {
  expect(told({ 'package.json': '{}' })).toEqual([]);
});
