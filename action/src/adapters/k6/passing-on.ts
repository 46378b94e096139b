import type { LoadSink } from '../../measure/index.ts';

/** A sink that passes all samples on, apart from those that it has a function of its own for. */
export function passingOn(sink: LoadSink, own: Partial<LoadSink>): LoadSink {
  return {
    request: (...sample) => sink.request(...sample),
    users: (...sample) => sink.users(...sample),
    failedCheck: (...sample) => sink.failedCheck(...sample),
    iteration: (...sample) => sink.iteration(...sample),
    received: (...sample) => sink.received(...sample),
    exception: (...sample) => sink.exception(...sample),
    metric: (...sample) => sink.metric(...sample),
    dropped: (...sample) => sink.dropped(...sample),
    ...own,
  };
}
