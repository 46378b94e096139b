import { expect, it } from 'vitest';
import { repositoryOf } from '../../test/init/repository.ts';
import { backingFindings } from './backing.ts';

const told = (files: Readonly<Record<string, string>>) =>
  backingFindings(repositoryOf(files)).map(({ text }) => text.split(':')[0]);

it('names what two builds of one service need once', () => {
  const driver = "runtimeOnly 'com.mysql:mysql-connector-j'";
  expect(told({ 'pom.xml': 'mysql-connector-j', 'build.gradle': driver, 'package.json': '{}' })).toEqual([
    'it seems to need MySQL or MariaDB (pom.xml, build.gradle)',
  ]);
});

it('keeps apart what different parts need', () => {
  expect(told({ 'go.mod': 'github.com/redis/go-redis', 'package.json': '{"pg":1}' })).toEqual([
    'it seems to need PostgreSQL (package.json)',
    'it seems to need Redis (go.mod)',
  ]);
});
