import { describe, expect, it } from 'vitest';
import { haproxyConfiguration, lostInstances } from './haproxy-files.ts';

const instances = [
  { name: 'instance 1', origin: 'http://127.0.0.1:4001' },
  { name: 'instance 2', origin: 'http://[::1]:4002' },
];

it('the balancer sends each request to the next instance, and each connection where it sees no requests', () => {
  const plain = haproxyConfiguration(instances, 'http:', 5000, 5001);
  expect(plain).toContain('  mode http\n  bind 127.0.0.1:5000\n  balance roundrobin\n');
  expect(plain).toContain('  server instance-2 [::1]:4002 check ');
  expect(haproxyConfiguration(instances, 'https:', 5000, 5001)).toContain(
    '  mode tcp\n  bind 127.0.0.1:5000',
  );
});

describe('an instance', () => {
  const csv = (second: string) =>
    [
      '# pxname,svname,status,chkdown,downtime,check_status,',
      'service,FRONTEND,OPEN,,,,',
      'service,instance-1,UP,0,0,L4OK,',
      second,
      'service,BACKEND,UP,0,0,,',
      'status,instance-2,no check,,,,',
      '',
    ].join('\n');
  const lost = (second: string) =>
    lostInstances(csv(second), instances).map(({ name, state }) => [name, state]);

  it('that always took requests is not lost', () => {
    expect(lost('service,instance-2,UP,0,0,L4OK,')).toEqual([]);
    // A check that failed once is no loss yet.
    expect(lost('service,instance-2,UP 1/2,0,0,* L4CON,')).toEqual([]);
  });

  it.each([
    ['service,instance-2,DOWN,1,7,L4CON,', 'it is DOWN, after 7 s without, last check L4CON'],
    ['service,instance-2,UP,1,3,L4OK,', 'it takes connections again, after 3 s without, last check L4OK'],
    ['', 'it is unknown, after 0 s without'],
  ])('is lost with the line %j', (line, state) => {
    expect(lost(line)).toEqual([['instance 2', state]]);
  });
});
