/** How many bytes a text has as UTF-8, without making them. */
export function utf8Length(text: string): number {
  let bytes = text.length
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    // Each half of a surrogate pair stands for two of its four bytes.
    if (unit > 0x7ff && (unit < 0xd800 || unit > 0xdfff)) bytes += 2
    else if (unit > 0x7f) bytes += 1
  }
  return bytes
}

/** No text of YAML or JSON has a zero byte in its first character (YAML 1.2.2, 5.2). */
const isUtf16 = ([a, b]: Uint8Array): boolean =>
  (a === 0xff && b === 0xfe) || (a === 0xfe && b === 0xff) || (a === 0) !== (b === 0)

/** The text of a file that a person wrote, without a mark of its encoding; or the problem with its bytes. */
export function utf8Text(bytes: Uint8Array): { readonly text: string } | { readonly problem: string } {
  if (bytes.length > 1 && isUtf16(bytes)) return { problem: 'is UTF-16; save it as UTF-8' }
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) }
  } catch {
    return { problem: 'is not UTF-8; save it as UTF-8' }
  }
}
