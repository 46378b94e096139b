import { failedBelow, startAnywhere } from '../lib/client.ts';
import { signedIn } from '../lib/members.ts';
import { planAdd, planDelete, planDetail, planOverview, planSort, planUpdate } from '../lib/plans.ts';
import { tripDetail, tripOverview } from '../lib/trips.ts';

export const options = { discardResponseBodies: true, thresholds: failedBelow(0.01) };

startAnywhere({
  steps: [
    'login',
    'trip-overview',
    'trip-detail',
    'plan-overview',
    'plan-add',
    'plan-detail',
    'plan-update',
    'plan-delete',
    'plan-sort',
  ],
  row: { addedBy: 'plan-add', deletedBy: 'plan-delete' },
});

/** A member opens a trip, adds a stop, changes it, deletes it and sorts the day by distance. */
export default function planEdit(): void {
  signedIn((token) => {
    const trip = tripOverview(token);
    if (trip === undefined) return;
    tripDetail(token, trip);
    planOverview(token, trip);

    const added = planAdd(token, trip);
    if (added !== undefined) {
      try {
        const version = planDetail(token, added);
        if (version !== undefined) planUpdate(token, added, version);
      } finally {
        // Delete even if the update failed, because a day that grows with every pass takes longer to sort.
        planDelete(token, added);
      }
    }

    planSort(token, trip);
  });
}
