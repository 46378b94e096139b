/**
 * The Universal Scalability Law: X(N) = λN / (1 + σ(N − 1) + κN(N − 1)). N. J. Gunther, Guerrilla Capacity Planning,
 * Springer 2007, chapters 4 to 6; with σ = 0 and κ = 0 throughput grows in proportion to users.
 */
export interface ScalabilityLaw {
  /** λ: requests per second of a single user. */
  readonly single: number;
  /** σ, 0 to 1: the share of the work that one user at a time can do. */
  readonly contention: number;
  /** κ, 0 or more: what each pair of users costs, such as keeping data in step. */
  readonly coherence: number;
}

/** Requests per second with that many users. */
export function throughputAt({ single, contention, coherence }: ScalabilityLaw, users: number): number {
  return (single * users) / (1 + contention * (users - 1) + coherence * users * (users - 1));
}
