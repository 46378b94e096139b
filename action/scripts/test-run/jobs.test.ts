import { expect, it, onTestFinished } from 'vitest';
import { type Job, runJobs } from './jobs.ts';
import { step } from './steps.ts';

it('counts a job that throws as failed, and stops the job of the other lane', async () => {
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  const place = { root: '/', cache: '/', scratch: '/', env: { PATH: process.env.PATH } };
  const jobs: Job[] = [
    step(place, { name: 'service', lane: 'back', command: ['sleep', '600'] }),
    { name: 'report', lane: 'front', run: () => Promise.reject(new Error('no such report')) },
    step(place, { name: 'later', lane: 'front', command: ['true'] }),
  ];
  let out = '';
  const print = (text: string) => {
    out += text;
  };
  expect(await runJobs(jobs, print, stop)).toEqual({ passed: 0, failed: 1 });
  expect(out).toMatch(/== report: FAILED, no such report, \d+ s; the steps after it did not run\n/);
  expect(out).toMatch(/== service: stopped after \d+ s\n/);
  expect(out).not.toContain('later');
});
