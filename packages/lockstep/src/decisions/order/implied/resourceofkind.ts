/** The resource of a kind as Kubernetes guesses it (apimachinery `meta.UnsafeGuessKindToResource`); right for all of its own kinds. */
export function resourceOfKind(kind: string): string {
  const word = kind.toLowerCase()
  if (word === 'endpoints') return word
  if (word.endsWith('s')) return `${word}es`
  return word.endsWith('y') ? `${word.slice(0, -1)}ies` : `${word}s`
}
