/**
 * Paths of keys that a JSON text repeats in one object: JSON.parse does not tell. The text is known to be JSON
 * (sigs.k8s.io/json, strict decoding).
 */
export function duplicateFields(text: string): string[] {
  const found: string[] = []
  const scopes: ObjectScope[] = []
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i)
    const top = scopes[scopes.length - 1]
    if (c === 0x7b) scopes.push({ keys: new Set(), name: '', index: -1 })
    else if (c === 0x5b) scopes.push({ keys: undefined, name: '', index: 0 })
    else if (c === 0x7d || c === 0x5d) scopes.pop()
    else if (c === 0x2c && top && top.index >= 0) top.index++
    else if (c === 0x22) {
      const end = stringEnd(text, i)
      if (top?.keys && isKey(text, end)) {
        const key = JSON.parse(text.slice(i, end + 1)) as string
        top.name = key
        if (top.keys.has(key)) found.push(pathOf(scopes))
        else top.keys.add(key)
      }
      i = end
    }
  }
  return found
}

/** An object with its keys, or a list with the index that is being read. */
interface ObjectScope {
  readonly keys: Set<string> | undefined
  name: string
  index: number
}

function stringEnd(text: string, start: number): number {
  let i = start + 1
  while (text.charCodeAt(i) !== 0x22) i += text.charCodeAt(i) === 0x5c ? 2 : 1
  return i
}

function isKey(text: string, end: number): boolean {
  let i = end + 1
  while (text.charCodeAt(i) <= 0x20) i++
  return text.charCodeAt(i) === 0x3a
}

const pathOf = (scopes: readonly ObjectScope[]): string =>
  scopes
    .map((s) => (s.keys ? `.${s.name}` : `[${s.index}]`))
    .join('')
    .slice(1)
