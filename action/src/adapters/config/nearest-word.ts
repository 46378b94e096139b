import damerauLevenshtein from 'damerau-levenshtein';

/** The known word that was probably meant, or undefined if none is similar. Case does not matter. */
export function nearestWord(word: string, known: readonly string[]): string | undefined {
  // Longer text is no misspelt key, and the cost of the comparison grows with the square of the length.
  if (word.length > 200) return undefined;
  const [nearest] = known
    .map((candidate) => ({
      candidate,
      edits: damerauLevenshtein(word.toLowerCase(), candidate.toLowerCase()).steps,
    }))
    .filter(({ edits }) => edits <= Math.max(1, Math.floor(word.length / 3)))
    .toSorted((a, b) => a.edits - b.edits);
  return nearest?.candidate;
}
