const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

export const utf8Bytes = (text: string): Uint8Array => encoder.encode(text)

/** The text of the bytes; undefined where they are no UTF-8. */
export function utf8Text(bytes: Uint8Array): string | undefined {
  try {
    return decoder.decode(bytes)
  } catch {
    return undefined
  }
}

/** How many code points: what CEL calls the size of a string. */
export function codePoints(text: string): number {
  let n = text.length
  for (let i = 0; i < text.length - 1; i++) {
    const high = text.charCodeAt(i)
    if (high < 0xd800 || high > 0xdbff) continue
    const low = text.charCodeAt(i + 1)
    if (low >= 0xdc00 && low <= 0xdfff) n--
  }
  return n
}

const SHORT: ReadonlyMap<string, string> = new Map([
  ['"', '\\"'],
  ['\\', '\\\\'],
  ['\n', '\\n'],
  ['\t', '\\t'],
  ['\r', '\\r'],
  ['\x07', '\\a'],
  ['\b', '\\b'],
  ['\f', '\\f'],
  ['\v', '\\v'],
])

/** A text in quotes as Go's `%q` writes it. */
export function quoted(text: string): string {
  return `"${text.replace(/["\\\p{Cc}]/gu, (c) => SHORT.get(c) ?? controlText(c.charCodeAt(0)))}"`
}

function controlText(code: number): string {
  const hex = code.toString(16)
  return code < 0x80 ? `\\x${hex.padStart(2, '0')}` : `\\u${hex.padStart(4, '0')}`
}
