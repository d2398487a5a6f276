/** What `git ls-tree -r -z` says of a commit: also of one with more files than a module may have. Pure. */

export interface TreeListEntry {
  readonly path: string
  readonly mode: string
  readonly id: string
}

/** Entries whose names are no UTF-8 cannot be named here, and are left out: nothing changes them. */
export function parseTreeList(bytes: Uint8Array): TreeListEntry[] {
  const out: TreeListEntry[] = []
  for (const line of new TextDecoder().decode(bytes).split('\0')) {
    const m = /^(\d{6}) \w+ ([0-9a-f]{40,64})\t([\s\S]+)$/.exec(line)
    if (m && !m[3]!.includes('\ufffd')) out.push({ mode: m[1]!, id: m[2]!, path: m[3]! })
  }
  return out
}

export const kindOfMode = (mode: string): 'file' | 'link' | 'other' =>
  mode === '120000' ? 'link' : mode.startsWith('100') ? 'file' : 'other'

/** `<id> <type> <size>` of `cat-file --batch-check`. */
export function sizesOf(text: string): ReadonlyMap<string, number> {
  const rows = text.split('\n').map((line) => line.split(' '))
  return new Map(rows.flatMap(([id, type, size]) => (id && type === 'blob' ? [[id, Number(size)]] : [])))
}

/** `<id> <type> <size>\n<bytes>\n`, again and again, of `cat-file --batch`. */
export function contentsOf(bytes: Uint8Array): ReadonlyMap<string, Uint8Array> {
  const found = new Map<string, Uint8Array>()
  for (let at = 0; at < bytes.length; ) {
    const end = bytes.indexOf(10, at)
    const [id, , size] = new TextDecoder().decode(bytes.subarray(at, end)).split(' ')
    if (end < 0 || id === undefined || size === undefined) break
    found.set(id, bytes.slice(end + 1, end + 1 + Number(size)))
    at = end + 2 + Number(size)
  }
  return found
}
