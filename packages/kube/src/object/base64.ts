const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

/** Standard base64 with padding; `Buffer` is no part of the language. */
export function bytesToBase64(bytes: Uint8Array): string {
  let out = ''
  for (let i = 0; i < bytes.length; i += 3) {
    const n = (bytes[i]! << 16) | ((bytes[i + 1] ?? 0) << 8) | (bytes[i + 2] ?? 0)
    const left = bytes.length - i
    out +=
      ALPHABET[n >> 18]! +
      ALPHABET[(n >> 12) & 63]! +
      (left > 1 ? ALPHABET[(n >> 6) & 63]! : '=') +
      (left > 2 ? ALPHABET[n & 63]! : '=')
  }
  return out
}

/** Bytes of standard base64; white space and padding are ignored, as `encoding/json` of Go accepts what it wrote. */
export function base64ToBytes(text: string): Uint8Array {
  const digits = text.replace(/[^A-Za-z0-9+/]/g, '')
  const out = new Uint8Array(Math.floor((digits.length * 3) / 4))
  let bits = 0
  let held = 0
  let n = 0
  for (let i = 0; i < digits.length; i++) {
    held = (held << 6) | VALUE[digits.charCodeAt(i)]!
    bits += 6
    if (bits >= 8) {
      bits -= 8
      out[n++] = (held >> bits) & 0xff
      held &= (1 << bits) - 1
    }
  }
  return out
}

const VALUE = new Uint8Array(128)
for (let i = 0; i < ALPHABET.length; i++) VALUE[ALPHABET.charCodeAt(i)] = i
