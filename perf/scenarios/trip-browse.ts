import { failedBelow, startAnywhere } from '../lib/client.ts';
import { signedIn } from '../lib/members.ts';
import { planDetail, planOverview } from '../lib/plans.ts';
import { tripDetail, tripOverview } from '../lib/trips.ts';

export const options = { discardResponseBodies: true, thresholds: failedBelow(0.01) };

startAnywhere({
  steps: ['login', 'trip-overview', 'trip-detail', 'plan-overview', 'plan-detail'],
});

/** A member opens a trip and one of its stops, and changes nothing. */
export default function tripBrowse(): void {
  signedIn((token) => {
    const trip = tripOverview(token);
    if (trip === undefined) return;
    tripDetail(token, trip);

    const plan = planOverview(token, trip);
    if (plan !== undefined) planDetail(token, plan);
  });
}
