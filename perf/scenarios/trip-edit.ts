import { failedBelow, startAnywhere } from '../lib/client.ts';
import { signedIn } from '../lib/members.ts';
import { planAddFirst } from '../lib/plans.ts';
import { tripAdd, tripDelete, tripDetail, tripDetailNew, tripOverview, tripUpdate } from '../lib/trips.ts';

export const options = { discardResponseBodies: true, thresholds: failedBelow(0.01) };

startAnywhere({
  steps: [
    'login',
    'trip-overview',
    'trip-detail',
    'trip-add',
    'trip-detail-new',
    'trip-update',
    'plan-add-first',
    'trip-delete',
  ],
  row: { addedBy: 'trip-add', deletedBy: 'trip-delete' },
});

/** A member lists the trips, adds one, changes it, adds its first stop and deletes it. */
export default function tripEdit(): void {
  signedIn((token) => {
    const first = tripOverview(token);
    if (first !== undefined) tripDetail(token, first);

    const added = tripAdd(token);
    if (added === undefined) return;
    try {
      const version = tripDetailNew(token, added);
      if (version !== undefined) tripUpdate(token, added, version);
      planAddFirst(token, added);
    } finally {
      // Delete even if the update failed, because data that grows with every pass would slow down later passes.
      tripDelete(token, added);
    }
  });
}
