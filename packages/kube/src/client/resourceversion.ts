/**
 * resourceVersions of one resource compare as integers (KEP-5504); of several resources they do not compare.
 * Longer is greater; of equal length the text order is the number's.
 */
export function isNewerResourceVersion(a: string, b: string): boolean {
  return a.length === b.length ? a > b : a.length > b.length
}
